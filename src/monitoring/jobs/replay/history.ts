import type { JobRules } from '../../../domain/job-rules.ts'
import type { SeriesName } from '../../../domain/series.ts'
import type { Range } from '../../../lib/range.ts'
import { DAY_MS } from '../../../lib/time.ts'
import type { JobActors } from '../../../ports/job-actors.ts'
import { isDefined } from '../../job-config/value-keys.ts'
import { arrivalsOf, samplesOfBuckets } from './arrivals.ts'
import type { Arrival } from './replay.ts'

/** Values of one replay. Where there are more, it uses summaries. */
const VALUES_MAX = 50_000
const BUCKETS_MAX = 10_000
/** The finest stored summary. */
const BUCKET_MIN_MS = 300_000
/** Texts and changes of the error code that are read. */
const OTHERS_MAX = 10_000
/** The state at the begin follows from the last values in this time before it. */
const BEFORE_MS = 30 * DAY_MS

/** The stored values of a job. `bucketMs` is 0 for single values. */
export type History = {
  readonly first: Arrival | null
  readonly arrivals: readonly Arrival[]
  readonly bucketMs: number
  readonly isAbout: boolean
}

type Asked = { readonly jobId: number; readonly rules: JobRules; readonly range: Range }

/** The values that a replay needs: the values of all keys with a threshold, and all numbers if the job has a deadline.
 * @param rawFromAt single values are kept from this instant on */
export async function readHistory(actors: JobActors, asked: Asked, rawFromAt: number): Promise<History> {
  const { jobId, rules, range } = asked
  const { numbers, texts } = keysOf(rules)
  const counts = await countsOf(actors, asked, numbers)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const isRaw = total <= VALUES_MAX && range.beginAt >= rawFromAt
  const others = await samplesOf(actors, jobId, ['errorCode', ...texts], range)
  const first = await firstOf(actors, asked, numbers)
  if (isRaw) {
    const keys = counts.flatMap(({ key, count }) => (count > 0 ? [key] : []))
    const all = await samplesOf(actors, jobId, keys, range)
    const arrivals = arrivalsOf([...all.series, ...others.series])
    return { first, arrivals, bucketMs: 0, isAbout: others.isCut }
  }
  const judged = judgedKeys(rules)
  const [busiest] = counts.toSorted((a, b) => b.count - a.count)
  const keys = numbers.filter((key) => judged.has(key) || key === busiest?.key)
  const bucketMs = bucketMsOf(range, keys.length)
  const edges = edgesOf(range, bucketMs)
  const names = keys.map((key): SeriesName => ({ jobId, key }))
  const answers = await actors.bucketsAll(names, { edges, mode: 'last' })
  const series = answers.map(({ buckets }, index) => samplesOfBuckets(keys[index] ?? '', buckets, bucketMs))
  return { first, arrivals: arrivalsOf([...series, ...others.series]), bucketMs, isAbout: true }
}

function keysOf(rules: JobRules): { readonly numbers: readonly string[]; readonly texts: readonly string[] } {
  const judged = judgedKeys(rules)
  const hasDeadline = rules.timeoutMs !== null || rules.intervalMs > 0
  const numbers = rules.divisors.map((_, index) => `returnValue${index + 1}`)
  return {
    numbers: numbers.filter((key) => hasDeadline || judged.has(key)),
    texts: [...judged].filter((key) => key.startsWith('stringValue') && isDefined(rules, key)),
  }
}

function judgedKeys({ thresholds }: JobRules): ReadonlySet<string> {
  return new Set(thresholds.flatMap(({ conditions }) => conditions.map(({ key }) => key)))
}

async function countsOf(actors: JobActors, { jobId, range }: Asked, keys: readonly string[]) {
  if (keys.length === 0) return []
  const edges = [range.beginAt, range.endAt]
  const names = keys.map((key) => ({ jobId, key }))
  const answers = await actors.bucketsAll(names, { edges, mode: 'count' })
  return keys.map((key, index) => ({ key, count: answers[index]?.aggregate.count ?? 0 }))
}

/** The last values before the range; null without any. */
async function firstOf(
  actors: JobActors,
  { jobId, range: { beginAt } }: Asked,
  numbers: readonly string[],
): Promise<Arrival | null> {
  const keys = [...numbers, 'errorCode']
  const names = keys.map((key) => ({ jobId, key }))
  const edges = [Math.max(0, beginAt - BEFORE_MS), beginAt]
  const answers = await actors.bucketsAll(names, { edges, mode: 'last' })
  const samples = keys.map((key, index) => {
    const value = answers[index]?.buckets[0]?.value
    return { key, samples: value === null || value === undefined ? [] : [{ at: beginAt, value }] }
  })
  return arrivalsOf(samples)[0] ?? null
}

async function samplesOf(actors: JobActors, jobId: number, keys: readonly string[], range: Range) {
  const isLong = (key: string) => key.startsWith('returnValue')
  const answers = await Promise.all(
    keys.map((key) =>
      actors.samples(jobId, { key, ...range, skip: 0, limit: isLong(key) ? VALUES_MAX : OTHERS_MAX }),
    ),
  )
  return {
    series: answers.map(({ samples }, index) => ({ key: keys[index] ?? '', samples })),
    isCut: answers.some(({ more }) => more),
  }
}

function bucketMsOf({ beginAt, endAt }: Range, keyCount: number): number {
  const leastMs = ((endAt - beginAt) * Math.max(1, keyCount)) / BUCKETS_MAX
  return Math.ceil(Math.max(leastMs, BUCKET_MIN_MS) / BUCKET_MIN_MS) * BUCKET_MIN_MS
}

/** Ascending edges on multiples of the bucket, so that summaries lie within one bucket. */
function edgesOf({ beginAt, endAt }: Range, bucketMs: number): number[] {
  const edges = [beginAt]
  for (let at = (Math.floor(beginAt / bucketMs) + 1) * bucketMs; at < endAt; at += bucketMs) edges.push(at)
  return [...edges, endAt]
}
