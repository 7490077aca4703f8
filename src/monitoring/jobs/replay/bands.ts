import type { Adaptive, JobRules } from '../../../domain/job-rules.ts'
import type { Range } from '../../../lib/range.ts'
import type { JobActors } from '../../../ports/job-actors.ts'
import { bandOf, bucketsIn } from '../../states/band.ts'
import type { Band, Extremes } from '../../states/band.ts'
import { bucketBeginOf, bucketEdgesOf } from '../../states/seasons.ts'
import type { Counter } from '../../states/thresholds.ts'
import type { Event } from '../actor.ts'
import { divisorOf } from '../../job-config/value-keys.ts'

/** Buckets that the bands of a condition may look at in one replay. With more, bands are made less often. */
const LOOKS_MAX = 3_000_000
/** A band is valid for so many buckets at least. */
const REACH_BUCKETS = 47

type Source = {
  readonly place: number
  readonly adaptive: Adaptive
  /** From the window before the replay to its end, ascending. */
  readonly buckets: readonly Extremes[]
  /** In how many buckets one band is made. */
  readonly every: number
}

type Asked = { readonly jobId: number; readonly rules: JobRules; readonly range: Range }
type Parts = {
  readonly actors: JobActors
  readonly maintenanceIn: (range: Range) => Promise<readonly Range[]>
}

/** The bands of adaptive conditions as a replay reaches their buckets: each from the values before its bucket. */
export class ReplayBands {
  readonly #sources: readonly Source[]
  readonly #maintenance: readonly Range[]
  /** The bucket for which each band was made last. */
  readonly #madeAt = new Map<number, number>()

  constructor(sources: readonly Source[], maintenance: readonly Range[]) {
    this.#sources = sources
    this.#maintenance = maintenance
  }

  /** Whether some bands are older than a live job has them. */
  get isAbout(): boolean {
    return this.#sources.some(({ every }) => every > 1)
  }

  /** The new bands at an instant; null where none is due. Instants ascend. */
  eventAt(revision: number, counters: readonly Counter[], at: number): Event | null {
    const bands: (readonly [number, Band])[] = []
    for (const { place, adaptive, buckets, every } of this.#sources) {
      const beginAt = bucketBeginOf(adaptive, at)
      if (beginAt < (this.#madeAt.get(place) ?? 0) + every * adaptive.bucketMs) continue
      this.#madeAt.set(place, beginAt)
      const window = bucketsIn(buckets, bucketBeginOf(adaptive, beginAt - adaptive.windowMs), beginAt)
      const maintenance = adaptive.learnsMaintenance ? [] : this.#maintenance
      const spells = counters[place]?.spells ?? []
      bands.push([place, bandOf(adaptive, { buckets: window, spells, maintenance }, at)])
    }
    return bands.length === 0 ? null : { kind: 'bands', revision, bands }
  }
}

/** Reads what the bands of a replay are made of. */
export async function readBands(
  { actors, maintenanceIn }: Parts,
  { jobId, rules, range }: Asked,
): Promise<ReplayBands> {
  const conditions = rules.thresholds.flatMap((level) => level.conditions)
  const sources: Source[] = []
  let beginAt = range.beginAt
  for (const [place, { key, adaptive }] of conditions.entries()) {
    if (!adaptive) continue
    const fromAt = bucketBeginOf(adaptive, bucketBeginOf(adaptive, range.beginAt) - adaptive.windowMs)
    beginAt = Math.min(beginAt, fromAt)
    const edges = bucketEdgesOf(adaptive, fromAt, range.endAt)
    const { buckets } = await actors.buckets(jobId, { key, edges, mode: 'count' })
    const divisor = divisorOf(rules, key)
    const extremes = buckets.map(({ at, min, max, count }, index): Extremes => {
      const endAt = edges[index + 1] ?? range.endAt
      return { at, endAt, min: (min ?? 0) / divisor, max: (max ?? 0) / divisor, count }
    })
    const looks = ((range.endAt - range.beginAt) * adaptive.windowMs) / adaptive.bucketMs ** 2
    const every = Math.min(REACH_BUCKETS, Math.max(1, Math.ceil(looks / LOOKS_MAX)))
    sources.push({ place, adaptive, buckets: extremes, every })
  }
  const isMaintenanceNeeded = sources.some(({ adaptive }) => !adaptive.learnsMaintenance)
  const maintenance = isMaintenanceNeeded ? await maintenanceIn({ beginAt, endAt: range.endAt }) : []
  return new ReplayBands(sources, maintenance)
}
