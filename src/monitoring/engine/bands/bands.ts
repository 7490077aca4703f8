import type { ForecastBand } from '../../../domain/forecast-band.ts'
import type { Adaptive, Condition, ForecastLimit } from '../../../domain/job-rules.ts'
import { bandOf, forecastBandOf, windowEdgesOf } from '../../states/band.ts'
import type { Band, Extremes } from '../../states/band.ts'
import { foreseenBandOf } from '../../states/foreseen.ts'
import { bucketBeginOf, bucketEdgesOf } from '../../states/seasons.ts'
import type { Counter } from '../../states/thresholds.ts'
import { step } from '../../jobs/actor.ts'
import type { Event } from '../../jobs/actor.ts'
import { divisorOf } from '../../job-config/value-keys.ts'
import type { Head } from '../head/head.ts'
import type { Job } from '../head/job.ts'
import type { EngineHost } from '../host.ts'
import type { Query } from '../query/query.ts'
import type { Wal } from '../wal/wal.ts'

/** Jobs of one call; the others are due in the next. */
const JOBS_AT_ONCE = 20
const RETRY_MS = 60_000
/** Not all jobs are due when an hour begins. */
const SPREAD_MAX_MS = 30 * 60_000
/** A prime: neighbours are not due together. */
const SPREAD_STEP_MS = 7_919

type Place = { readonly place: number; readonly condition: Condition; readonly adaptive: Adaptive }
type ForecastPlace = { readonly place: number; readonly key: string; readonly forecast: ForecastLimit }

/** When a job is due. The instants hold as long as its counters are these. */
type Due = {
  counters: readonly Counter[]
  learnedAt: number
  overAt: number
  /** The newest instant of the job when its bands were made; undefined before. */
  madeOf: number | null | undefined
  /** Not before this instant after a failure, epoch ms. */
  retryAt: number
}

const NO_COUNTERS: readonly Counter[] = []

/** Makes the bands of usual values of adaptive conditions from the histories of their jobs: once in each bucket, and for
 * new conditions at once. Jobs without new values keep the bands that they have. */
export class Bands {
  readonly #host: EngineHost
  readonly #head: Head
  readonly #wal: Wal
  readonly #query: Query
  readonly #dues = new WeakMap<Job, Due>()
  #running: Promise<void> | null = null

  constructor(host: EngineHost, { head, wal, query }: { head: Head; wal: Wal; query: Query }) {
    this.#host = host
    this.#head = head
    this.#wal = wal
    this.#query = query
  }

  /** When the next band is due, epoch ms; infinity if none is. */
  get nextAt(): number {
    let nextAt = Number.POSITIVE_INFINITY
    for (const job of this.#head.adaptiveJobs()) nextAt = Math.min(nextAt, this.#dueAt(job))
    return nextAt
  }

  /** Makes bands that are due, of a few jobs at most. A running call is joined. */
  make(now: number): Promise<void> {
    this.#running ??= this.#makeSome(now).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Gives a job the bands of forecasts, in place of all earlier ones: a condition whose forecast has none has no known
   * limit any more. An earlier band than the one that is there changes nothing. */
  async take(jobId: number, forecasts: readonly ForecastBand[], now: number): Promise<void> {
    const job = this.#head.find(jobId)
    if (!job) return
    const { counters } = job.lastState
    const bands = forecastPlacesOf(job).flatMap(({ place, key, forecast }): (readonly [number, Band])[] => {
      const own = forecasts.find((one) => one.forecastId === forecast.forecastId && one.key === key)
      const before = counters[place]?.band
      const band = own ? bandFor(own, forecast) : noneAt(now)
      const isNews = own ? band.madeAt > (before?.madeAt ?? -1) : (before?.endAt ?? 0) > now
      return isNews ? [[place, band]] : []
    })
    if (bands.length > 0) await this.#send(job, bands, now)
  }

  async #makeSome(now: number): Promise<void> {
    const due: Job[] = []
    for (const job of this.#head.adaptiveJobs()) {
      if (this.#dueAt(job) > now) continue
      if (due.push(job) === JOBS_AT_ONCE) break
    }
    for (const job of due) {
      try {
        await this.#makeOf(job, now)
        this.#dueOf(job).retryAt = 0
      } catch (error) {
        // The job keeps the bands that it has.
        this.#dueOf(job).retryAt = now + RETRY_MS
        this.#host.log.error('engine: computing usual values failed; retrying', error, { jobId: job.id })
      }
    }
  }

  async #makeOf(job: Job, now: number): Promise<void> {
    const newestAt = job.newestAt
    const { revision } = job.lastState.rules
    const bands = overOf(job, now).map((place) => [place, noneAt(now)] as readonly [number, Band])
    if (learnedAtOf(job, this.#dueOf(job)) <= now)
      for (const one of placesOf(job)) bands.push([one.place, await this.#bandOf(job, one, now)])
    if (!this.#head.has(job) || job.lastState.rules.revision !== revision) return
    await this.#send(job, bands, now)
    this.#dueOf(job).madeOf = newestAt
  }

  async #send(job: Job, bands: readonly (readonly [number, Band])[], now: number): Promise<void> {
    const { revision } = job.lastState.rules
    const event: Event = { kind: 'bands', revision, bands }
    const result = step(job.currentState(), event, now)
    await this.#wal.accept({ jobId: job.id, at: now, event }, [{ job, result }])
    if (result.transitions.length > 0) await this.#wal.outbox.deliver()
  }

  async #bandOf(job: Job, { place, condition, adaptive }: Place, now: number): Promise<Band> {
    const { rules, counters } = job.lastState
    const edges = windowEdgesOf(adaptive, now)
    const [beginAt = now, endAt = now] = [edges[0], edges.at(-1)]
    const { buckets } = await this.#query.buckets(job.id, { key: condition.key, edges, mode: 'count' })
    const divisor = divisorOf(rules, condition.key)
    const extremes = buckets.map(({ at, min, max, count }, index): Extremes => ({
      at,
      endAt: edges[index + 1] ?? endAt,
      min: (min ?? 0) / divisor,
      max: (max ?? 0) / divisor,
      count,
    }))
    const maintenance = adaptive.learnsMaintenance
      ? []
      : await this.#host.maintenanceOf?.(job.id, { beginAt, endAt })
    return bandOf(
      adaptive,
      { buckets: extremes, spells: counters[place]?.spells ?? [], maintenance: maintenance ?? [] },
      now,
    )
  }

  #dueAt(job: Job): number {
    if (job.lastState.rules.stopped) return Number.POSITIVE_INFINITY
    const due = this.#dueOf(job)
    return Math.max(Math.min(learnedAtOf(job, due), due.overAt), due.retryAt)
  }

  /** Most jobs are as they were when this was called last: hosts call it for all jobs again and again. */
  #dueOf(job: Job): Due {
    let due = this.#dues.get(job)
    if (!due) {
      due = { counters: NO_COUNTERS, learnedAt: 0, overAt: 0, madeOf: undefined, retryAt: 0 }
      this.#dues.set(job, due)
    }
    const { counters } = job.lastState
    if (due.counters !== counters) {
      due.counters = counters
      due.learnedAt = Math.min(...placesOf(job).map((one) => dueAtOf(one, counters, job.id)))
      due.overAt = overAt(job)
    }
    return due
  }
}

/** When the bands from the history are due. A new condition needs no new value. */
function learnedAtOf(job: Job, { learnedAt, madeOf }: Due): number {
  return learnedAt > 0 && madeOf === job.newestAt ? Number.POSITIVE_INFINITY : learnedAt
}

function forecastPlacesOf({ lastState: { rules } }: Job): readonly ForecastPlace[] {
  return rules.thresholds
    .flatMap(({ conditions }) => conditions)
    .flatMap(({ key, forecast }, place) => (forecast ? [{ place, key, forecast }] : []))
}

function bandFor(own: ForecastBand, forecast: ForecastLimit): Band {
  const { foresees, level } = forecast
  return foresees ? foreseenBandOf(own, level, foresees) : forecastBandOf(own, forecast)
}

/** A band of which nothing is known. */
function noneAt(now: number): Band {
  return { madeAt: now, cells: [], endAt: now }
}

/** The places of conditions that hold although the band of their forecast is over. */
function overOf(job: Job, now: number): readonly number[] {
  const { counters } = job.lastState
  const isOver = ({ place }: ForecastPlace) =>
    counters[place]?.held === true && (counters[place]?.band?.endAt ?? Number.POSITIVE_INFINITY) <= now
  return forecastPlacesOf(job)
    .filter(isOver)
    .map(({ place }) => place)
}

/** When the band of a forecast ends whose condition holds. */
function overAt(job: Job): number {
  const { counters } = job.lastState
  const ends = forecastPlacesOf(job).map(({ place }) =>
    counters[place]?.held === true
      ? (counters[place]?.band?.endAt ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY,
  )
  return Math.min(Number.POSITIVE_INFINITY, ...ends)
}

function placesOf({ lastState: { rules } }: Job): readonly Place[] {
  return rules.thresholds
    .flatMap(({ conditions }) => conditions)
    .flatMap((condition, place) =>
      condition.adaptive ? [{ place, condition, adaptive: condition.adaptive }] : [],
    )
}

/** 0 without a band. */
function dueAtOf({ place, adaptive }: Place, counters: readonly Counter[], jobId: number): number {
  const madeAt = counters[place]?.band?.madeAt
  if (madeAt === undefined) return 0
  const [, endAt = madeAt] = bucketEdgesOf(adaptive, bucketBeginOf(adaptive, madeAt), madeAt + 1)
  return endAt + ((jobId * SPREAD_STEP_MS) % Math.min(adaptive.bucketMs / 2, SPREAD_MAX_MS))
}
