import type { Bench } from '../bench.ts'
import { medianOf } from '../bench.ts'
import { DAY_MS, HOUR_MS } from '../peer.ts'
import type { History, Peer, Running, Series, Span } from '../peer.ts'
import { replay, writeRequests } from '../replay.ts'
import type { Load } from '../replay.ts'
import { send } from '../requests.ts'
import { seriesOf } from '../samples.ts'
import { cell } from '../table.ts'
import type { Bar, Cell, Part, Row } from '../table.ts'

const OTHERS = 100
const OTHERS_DAYS = 7
const YEAR_DAYS = 365
const MINUTES_A_DAY = 1_440
const CLIENTS = 8
const SECONDS_MAX = 1
const WARM_UP_S = 2
/** More than anybody keeps the answers of. */
const MONTHS = 200
/** Means of the same samples differ by rounding only. */
const TOLERANCE = 1e-9

/** One that is asked of several spans, each by itself, is never asked of the same one twice in a row. */
type Question = { readonly name: string; readonly spans: readonly Span[]; readonly bar?: Bar }
type Answering = { readonly one: Load[]; readonly many: Load[]; readonly requests: number }
type Contestant = {
  readonly peer: Peer
  readonly running: Running
  readonly history: History
  readonly directory: string
}

/** Charts of one series and of many, over HTTP. */
export async function read(bench: Bench): Promise<Part> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const series = seriesUntil(today)
  const contestants: Contestant[] = []
  const rows: Row[] = []
  for (const peer of bench.wishes.peers) {
    const one = await bench.attempt(`read, ${peer.name}`, () => enter(bench, peer, series))
    if (one) contestants.push(one)
  }
  for (const question of questionsUntil(today))
    rows.push(...(await ask(bench, contestants, { question, series })))
  return {
    title: 'Reads',
    explained:
      'means of buckets, over HTTP, from a year of minutes of one series beside a week of minutes of ' +
      `${OTHERS} others; each question is one request, asked again and again, so that who keeps answers may answer from ` +
      `these; “others each time” is asked of ${MONTHS} months in turn, each an hour before the last. ` +
      'All answers are compared with the samples before anything is measured.',
    rows,
  }
}

function seriesUntil(endAt: number): readonly Series[] {
  const wish = (job: number, days: number) =>
    ({
      job,
      count: days * MINUTES_A_DAY,
      beginAt: endAt - days * DAY_MS,
      jitterMs: 0,
      shape: 'gauge',
    }) as const
  const others = Array.from({ length: OTHERS }, (_, index) => seriesOf(wish(index + 2, OTHERS_DAYS)))
  return [seriesOf(wish(1, YEAR_DAYS)), ...others]
}

function questionsUntil(endAt: number): readonly Question[] {
  const months = Array.from({ length: MONTHS }, (_, index): Span => {
    const monthEndAt = endAt - index * HOUR_MS
    return { of: 'first', beginAt: monthEndAt - 30 * DAY_MS, endAt: monthEndAt, bucketMs: HOUR_MS }
  })
  return [
    {
      name: '30 days of minutes by hour',
      spans: months.slice(0, 1),
      bar: { is: 'ratio', atMost: 0.5 },
    },
    { name: '30 days, others each time', spans: months },
    {
      name: `${OTHERS} series × 1 day by hour`,
      spans: [{ of: 'others', beginAt: endAt - 3 * DAY_MS, endAt: endAt - 2 * DAY_MS, bucketMs: HOUR_MS }],
      bar: { is: 'ratio', atMost: 1 },
    },
    {
      name: 'a year of minutes by day',
      spans: [{ of: 'first', beginAt: endAt - YEAR_DAYS * DAY_MS, endAt, bucketMs: DAY_MS }],
      bar: { is: 'ratio', atMost: 0.5 },
    },
  ]
}

async function enter(bench: Bench, peer: Peer, series: readonly Series[]): Promise<Contestant | null> {
  if (!peer.fill) return null
  bench.say(`read: filling ${peer.name}`)
  const place = await bench.place(series.length)
  const { running } = await peer.fill(place, series)
  bench.keep(running)
  return running.history ? { peer, running, history: running.history, directory: place.directory } : null
}

async function ask(
  bench: Bench,
  contestants: readonly Contestant[],
  asked: { question: Question; series: readonly Series[] },
): Promise<readonly Row[]> {
  const { question } = asked
  const answering = new Map<string, Answering>()
  const entries: { contestant: Contestant; path: string; answers: Answering }[] = []
  for (const contestant of contestants) {
    await bench.attempt(`read, ${question.name}, ${contestant.peer.name}`, async () => {
      await checkMeans(contestant, asked)
      const requests = requestsOf(contestant, question)
      const answers: Answering = { one: [], many: [], requests: requests.length / question.spans.length }
      const path = await writeRequests(contestant.directory, requests)
      await replay({ running: contestant.running, path, connections: CLIENTS, sent: 0 }, WARM_UP_S)
      entries.push({ contestant, path, answers })
      answering.set(contestant.peer.name, answers)
    })
  }
  const seconds = Math.min(SECONDS_MAX, bench.wishes.seconds)
  for (let round = 0; round < bench.wishes.rounds; round++) {
    for (const { contestant, path, answers } of entries) {
      const { peer, running } = contestant
      for (const connections of [1, CLIENTS]) {
        const name = `read, ${question.name}, ${connections} clients, ${peer.name}`
        await bench.attempt(name, async () => {
          const [best] = await bench.load(name, { running, path, connections, sent: 0 }, seconds)
          if (best) (connections === 1 ? answers.one : answers.many).push(best)
        })
      }
    }
  }
  return rowsOf(question, answering)
}

/** @throws {Error} unless every mean is that of the samples */
async function checkMeans(
  contestant: Contestant,
  { question, series }: { question: Question; series: readonly Series[] },
): Promise<void> {
  const answers: string[] = []
  for (const request of requestsOf(contestant, question))
    answers.push(await send(contestant.running, request))
  const wanted = question.spans.flatMap((span) => meansOf(span, series)).toSorted((a, b) => a - b)
  // Peers answer series in an order of their own.
  const found = contestant.history.means(answers).toSorted((a, b) => a - b)
  const wrong = wanted.filter((mean, index) => !(Math.abs((found[index] ?? NaN) - mean) <= TOLERANCE * mean))
  if (found.length === wanted.length && wrong.length === 0) return
  throw new Error(`${found.length} means instead of ${wanted.length}, ${wrong.length} of them wrong`)
}

function meansOf({ of, beginAt, endAt, bucketMs }: Span, series: readonly Series[]): readonly number[] {
  const sums = series
    .filter(({ job }) => (job === 1) === (of === 'first'))
    .flatMap(({ at, values }) => {
      const buckets = Array.from({ length: (endAt - beginAt) / bucketMs }, () => ({ sum: 0, count: 0 }))
      for (const [index, instant] of at.entries()) {
        const bucket = buckets[Math.floor((instant - beginAt) / bucketMs)]
        if (!bucket) continue
        bucket.sum += values[index] ?? 0
        bucket.count++
      }
      return buckets
    })
  return sums.map(({ sum, count }) => sum / count)
}

function requestsOf({ history }: Contestant, { spans }: Question) {
  return spans.flatMap((span) => history.requests(span))
}

function rowsOf({ name, bar }: Question, answering: ReadonlyMap<string, Answering>): readonly Row[] {
  const measured = [...answering].filter(([, { one, many }]) => one.length > 0 && many.length > 0)
  const cells = (pick: (answers: Answering) => number, digits: number): ReadonlyMap<string, Cell> =>
    new Map(measured.map(([peer, answers]) => [peer, cell(pick(answers), digits)]))
  return [
    {
      measure: `${name}: CPU ms`,
      better: 'less',
      cells: cells(({ one, requests }) => (medianOf(one, (load) => load.cpuUs) * requests) / 1000, 2),
      ...(bar && { bar }),
    },
    {
      measure: `${name}: p50 ms`,
      better: 'less',
      cells: cells(({ one, requests }) => medianOf(one, (load) => load.p50Ms) * requests, 2),
    },
    {
      measure: `${name}: a second, ${CLIENTS} clients`,
      better: 'more',
      cells: cells(({ many, requests }) => medianOf(many, (load) => load.perSecond) / requests, 0),
    },
  ]
}
