import { MINUTE_MS } from './peer.ts'
import type { Sample, Series } from './peer.ts'

const MINUTES_A_DAY = 1_440

export type Shape = 'gauge' | 'counter' | 'constant'

export type SeriesWanted = {
  readonly job: number
  readonly count: number
  /** The first sample, epoch ms; the others follow a minute apart. */
  readonly beginAt: number
  /** Each instant moves by up to this much, either way. */
  readonly jitterMs: number
  readonly shape: Shape
}

/** The same series for the same wish: a gauge with a daily wave, noise and two decimals; a counter; a constant. */
export function seriesOf({ job, count, beginAt, jitterMs, shape }: SeriesWanted): Series {
  const chance = chanceFrom(job)
  const at: number[] = []
  const values: number[] = []
  for (let index = 0; index < count; index++) {
    at.push(beginAt + index * MINUTE_MS + Math.round(jitterMs * (2 * chance() - 1)))
    values.push(VALUES[shape]({ job, index, chance, before: values.at(-1) ?? 0 }))
  }
  return { job, at, values }
}

type Moment = {
  readonly job: number
  readonly index: number
  readonly chance: () => number
  readonly before: number
}

const VALUES: Readonly<Record<Shape, (moment: Moment) => number>> = {
  gauge({ job, index, chance }) {
    const wave = 20 * Math.sin((2 * Math.PI * index) / MINUTES_A_DAY + job)
    const noise = 0.5 * Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
    return Math.round(100 * (50 + wave + noise)) / 100
  },
  counter: ({ before, chance }) => before + Math.floor(1_000 * chance()),
  constant: () => 42,
}

/** Numbers in [0, 1) that look random and are the same for the same seed (xorshift32). */
function chanceFrom(seed: number): () => number {
  let word = Math.imul(seed, 0x9e3779b1) | 1
  return () => {
    word ^= word << 13
    word ^= word >>> 17
    word ^= word << 5
    return (word >>> 0) / 2 ** 32
  }
}

/** The samples of all series as they would have arrived, minute by minute, so many at once. */
export function* inOrderOfArrival(series: readonly Series[], atOnce: number): Generator<readonly Sample[]> {
  const next = series.map(() => 0)
  const begin = series.reduce((least, { at }) => Math.min(least, at[0] ?? least), Infinity)
  const end = series.reduce((most, { at }) => Math.max(most, at.at(-1) ?? most), 0)
  let batch: Sample[] = []
  for (let from = begin; from <= end; from += MINUTE_MS) {
    for (const [place, { job, at, values }] of series.entries()) {
      let index = next[place] ?? 0
      for (; (at[index] ?? Infinity) < from + MINUTE_MS; index++) {
        batch.push({ job, at: at[index] ?? 0, value: values[index] ?? 0 })
      }
      next[place] = index
    }
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Values for jobs 1 to `jobs` in turn, a few times around, to be delivered now. */
export function* deliveries(jobs: number, perRequest: number): Generator<readonly Sample[]> {
  const chance = chanceFrom(jobs)
  const total = Math.max(jobs, Math.min(4 * jobs, 40_000))
  for (let from = 0; from < total; from += perRequest) {
    yield Array.from({ length: perRequest }, (_, index) => ({
      job: ((from + index) % jobs) + 1,
      at: null,
      value: Math.round(4_000 + 2_000 * chance()) / 100,
    }))
  }
}
