import { join } from 'node:path'

import { readUntil } from '../../until.ts'
import type * as Installation from '../installation.ts'
import { DAY_MS, HOUR_MS } from '../peers/peer.ts'
import type { BulkForm, Request, Running, Span } from '../peers/peer.ts'
import { REPLAY, writeRequests } from '../peers/replay.ts'
import { send } from '../peers/requests.ts'
import { deliveries, seriesOf } from '../peers/samples.ts'
import type * as Tidemark from '../peers/tidemark.ts'

const SERVER_CORE = '0'
const READERS = 8
const SENDERS = 64
const BULK_SENDERS = 16
const JOBS_READ = 100
const JOBS_WITH_ALARMS = 50
const MONTHS = 200
const DAYS = 48
const FIRST_DAYS = 40
const OTHERS_DAYS = 3
const MINUTES_A_DAY = 1_440
/** Series of the past begin so long ago, and those of each load so much later for each of its seconds. */
export const PAST_S = 28 * 86_400
const STEP_S = 5_000
const LOAD_MAX_S = 3

export type Side = { readonly running: Running; readonly directory: string; seriesAtS: number }
type Script = readonly [path: string, ...args: string[]]
export type Shape = {
  readonly name: string
  readonly connections: number
  /** False where the server has work left after its answers, which counts. */
  readonly isRead: boolean
  /** Resolves to the script of wrk for the next load, after so many requests. */
  readonly open: (side: Side) => Promise<(sent: number) => Script>
}
export type Group = {
  readonly start: (checkout: string, directory: string) => Promise<Running>
  readonly shapes: readonly Shape[]
}

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS

function moduleOf(checkout: string): Promise<typeof Tidemark> {
  return import(`${checkout}/test/bench/peers/tidemark.ts`) as Promise<typeof Tidemark>
}

/** Reads of one job's minutes of weeks, of many jobs' minutes of days, and of lists with states and alarms. */
const reads: Group = {
  async start(checkout, directory) {
    const series = Array.from({ length: JOBS_READ + 1 }, (_, index) => {
      const days = index === 0 ? FIRST_DAYS : OTHERS_DAYS
      const beginAt = today - days * DAY_MS
      return seriesOf({ job: index + 1, count: days * MINUTES_A_DAY, beginAt, jitterMs: 0, shape: 'gauge' })
    })
    const { tidemark } = await moduleOf(checkout)
    const place = { directory, jobs: series.length, core: SERVER_CORE }
    const filled = await tidemark.fill?.(place, series)
    if (!filled) throw new TypeError(`${checkout} is not filled.`)
    await raiseAlarms(filled.running)
    return filled.running
  },
  shapes: [
    reading('a job, a day of samples', ({ running }) => [
      get(running, `/jobs/3/value-history?scale=PT0S&${rangeOf(today - DAY_MS, today)}`),
    ]),
    reading('a job, 30 days by hour', (side) => spansOf(side, monthsUntil(1))),
    reading('the same of another begin each time', (side) => spansOf(side, monthsUntil(MONTHS))),
    reading('100 jobs, a day by hour', (side) => spansOf(side, daysUntil(1))),
    reading('the same of another begin each day', (side) => spansOf(side, daysUntil(DAYS))),
    reading('a job', ({ running }) => [get(running, '/jobs/3')]),
    reading('list of 101 jobs', ({ running }) => [get(running, '/jobs')]),
    reading('tree with states', ({ running }) => [get(running, '/root/tree/group/1/tree?depth=all')]),
    reading('list of 50 alarms', ({ running }) => [get(running, '/alarms')]),
  ],
}

const single: Group = {
  start: (checkout, directory) => startOn(checkout, directory, 10_000),
  shapes: [
    sending('deliveries, 64 senders', SENDERS, ({ running }) =>
      deliveries(10_000, 1).map(([sample]) => running.delivery(sample ?? { job: 1, at: null, value: 0 })),
    ),
  ],
}

const SIZES = [10, 100, 1_000] as const
const BULK_JOBS = 1_000

/** Series of the past first: after deliveries of now their samples would be late. */
const bulk: Group = {
  async start(checkout, directory) {
    const { writeInstallation } = (await import(
      `${checkout}/test/bench/installation.ts`
    )) as typeof Installation
    await writeInstallation(join(directory, 'data'), { count: BULK_JOBS, timeout: 'PT12H', isBlank: true })
    return startOn(checkout, directory, BULK_JOBS)
  },
  shapes: [
    ...SIZES.map(seriesOfOneJob),
    ...['rounds', 'deliveries'].flatMap((form) =>
      SIZES.map((size) =>
        sending(`${form} of ${size}`, BULK_SENDERS, ({ running }) =>
          deliveries(BULK_JOBS, size).map((samples) => formOf(running, form).request(samples)),
        ),
      ),
    ),
  ],
}

export const GROUPS: Readonly<Record<string, Group>> = { reads, deliveries: single, bulk }

async function startOn(checkout: string, directory: string, jobs: number): Promise<Running> {
  return (await moduleOf(checkout)).tidemark.start({ directory, jobs, core: SERVER_CORE })
}

async function raiseAlarms(running: Running): Promise<void> {
  for (let job = 2; job <= JOBS_WITH_ALARMS + 1; job++) {
    const request = running.delivery({ job, at: null, value: 1 })
    await send(running, { ...request, body: '{"returnValue1":1,"errorCode":1}' })
  }
  await readUntil(
    async () => (JSON.parse(await send(running, get(running, '/alarms'))) as { total: number }).total,
    (total) => total === JOBS_WITH_ALARMS,
  )
}

function reading(name: string, requests: (side: Side) => Iterable<Request>): Shape {
  return { ...sending(name, READERS, requests), isRead: true }
}

function sending(name: string, connections: number, requests: (side: Side) => Iterable<Request>): Shape {
  const open: Shape['open'] = async (side) => {
    const path = await writeRequests(side.directory, requests(side))
    return (sent) => [REPLAY, path, String(sent)]
  }
  return { name, connections, isRead: false, open }
}

function seriesOfOneJob(size: number): Shape {
  const open: Shape['open'] = (side) => {
    const { headers } = formOf(side.running, 'series').request([{ job: 1, at: null, value: 0 }])
    const session = headers['x-session-id'] ?? ''
    return Promise.resolve(() => {
      side.seriesAtS += LOAD_MAX_S * STEP_S
      const args = ['series', '3', String(BULK_JOBS), session, String(size), String(side.seriesAtS)]
      return [`${import.meta.dir}/../bulk.lua`, ...args]
    })
  }
  return { name: `series of ${size}`, connections: BULK_SENDERS, isRead: false, open }
}

function formOf(running: Running, wanted: string): BulkForm {
  const form = running.bulk.find(({ name }) => name === wanted)
  if (!form) throw new RangeError(`There is no form ${wanted}.`)
  return form
}

function get(running: Running, path: string): Request {
  const span = { of: 'first', beginAt: today, endAt: today, bucketMs: HOUR_MS } as const
  return { method: 'GET', path, headers: running.history?.requests(span)[0]?.headers ?? {}, body: '' }
}

function spansOf({ running }: Side, spans: readonly Span[]): readonly Request[] {
  return spans.flatMap((span) => running.history?.requests(span) ?? [])
}

function monthsUntil(count: number): readonly Span[] {
  return earlier(count, { of: 'first', beginAt: today - 30 * DAY_MS, endAt: today, bucketMs: HOUR_MS })
}

function daysUntil(count: number): readonly Span[] {
  return earlier(count, { of: 'others', beginAt: today - DAY_MS, endAt: today, bucketMs: HOUR_MS })
}

/** Spans that each begin an hour before the last. */
function earlier(count: number, { beginAt, endAt, ...span }: Span): readonly Span[] {
  return Array.from({ length: count }, (_, index) => {
    const byMs = index * HOUR_MS
    return { ...span, beginAt: beginAt - byMs, endAt: endAt - byMs }
  })
}

function rangeOf(beginAt: number, endAt: number): string {
  const [begin, end] = [beginAt, endAt].map((at) => new Date(at).toISOString())
  return `timestamp_begin=${begin}&timestamp_end=${end}`
}
