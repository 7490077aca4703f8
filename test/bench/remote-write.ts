import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { writeRequest } from '../api/metrics-bodies.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import { COLLECTOR, FIRST_JOB_ID } from './installation.ts'
import type * as Installation from './installation.ts'
import { cpuSecondsOf, machine, median, tableOf } from './measure.ts'
import { otlpJson, otlpProtobuf } from './otlp.ts'
import { BASIC, HOUR_MS } from './peers/peer.ts'
import { prometheus } from './peers/prometheus.ts'
import { victoria } from './peers/victoria.ts'
import { snappy } from './snappy.ts'

/**
 * Prometheus remote write: the same Snappy bodies to Tidemark, to VictoriaMetrics and to Prometheus, one after the other
 * in each round. OTLP: the same to Tidemark alone, as the peers of Debian 12 do not take it. The figure is the CPU time of
 * the server process for each sample; samples a second depend on what else the machine does.
 *
 *   npm run bench:remote-write
 *   npm run bench:remote-write -- --before ../other-checkout   also Tidemark of that checkout
 *   npm run bench:remote-write -- --formats otlp,otlp-json --peers ''
 *   npm run bench:remote-write -- --rounds 1 --shapes 1000x1 --peers ''
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Series × samples of each, a request. */
    shapes: { type: 'string', default: '10x1,100x1,1000x1,10000x1,100x10' },
    formats: { type: 'string', default: 'remote-write,otlp,otlp-json' },
    peers: { type: 'string', default: 'VictoriaMetrics,Prometheus' },
    before: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '4' },
    /** About so many samples are sent to each server in each round. */
    samples: { type: 'string', default: '100000' },
  },
})

const REQUESTS_MAX = 2_000
const REQUESTS_MIN = 20
/** Tidemark takes no larger request of metrics. */
const BODY_MAX_BYTES = 2 * 1024 * 1024
const STEP_MS = 100
/** How long before the start the first sample is. Five rounds of all formats and shapes take about two hours of instants. */
const PAST_MS = 3 * HOUR_MS
const RETRY_MS = 200
const SERIES_MAX = 10_000
const LANES = Number(options.concurrency)

type Body = Uint8Array<ArrayBuffer>
type Contestant = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly authorization: string
  readonly takesOtlp: boolean
  readonly stop: () => Promise<void>
}
type Sample = { readonly index: number; readonly at: number; readonly value: number }
type Format = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly isOtlp: boolean
  readonly bodyOf: (samples: readonly Sample[]) => Body
}
type Shape = { readonly name: string; readonly series: number; readonly samples: number }
type Measured = { readonly perSecond: number; readonly cpuUs: number }

const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const OTLP = { path: '/otlp/v1/metrics', isOtlp: true }

const FORMATS: Readonly<Record<string, Format>> = {
  'remote-write': {
    path: '/api/v1/write',
    headers: { ...PROTOBUF, 'content-encoding': 'snappy', 'x-prometheus-remote-write-version': '0.1.0' },
    isOtlp: false,
    // As Prometheus writes them: each sample is a series of its own in the message.
    bodyOf: (samples) => snappy(writeRequest(samples.map(seriesOf))),
  },
  otlp: { ...OTLP, headers: PROTOBUF, bodyOf: (samples) => otlpProtobuf('value', samples.map(pointOf)) },
  'otlp-json': {
    ...OTLP,
    headers: { 'content-type': 'application/json' },
    bodyOf: (samples) => otlpJson('value', samples.map(pointOf)),
  },
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const contestants: Contestant[] = []
  try {
    contestants.push(await startTidemark('Tidemark', process.cwd(), join(directory, 'tidemark')))
    if (options.before !== '') {
      const checkout = resolve(process.env['TIDEMARK_CALLED_FROM'] ?? '.', options.before)
      contestants.push(await startTidemark('before', checkout, join(directory, 'before')))
    }
    for (const peer of [victoria, prometheus].filter(({ name }) => options.peers.split(',').includes(name))) {
      const place = { directory: join(directory, peer.name), jobs: SERIES_MAX * LANES, core: null }
      const { url, pid, stop } = await peer.start(place)
      contestants.push({
        name: peer.name,
        url,
        pid,
        authorization: BASIC.authorization,
        takesOtlp: false,
        stop,
      })
    }
    process.stdout.write(
      `${machine()}\n${options.rounds} rounds, ${options.concurrency} requests at a time\n`,
    )
    for (const name of options.formats.split(',')) {
      const format = formatOf(name)
      const able = contestants.filter(({ takesOtlp }) => takesOtlp || !format.isOtlp)
      process.stdout.write(`\n${name}\n`)
      for (const shape of options.shapes.split(',').map(shapeOf)) await compare(able, format, shape)
    }
  } finally {
    for (const { stop } of contestants) await stop()
    await rm(directory, { recursive: true })
  }
}

/** @throws {RangeError} */
function formatOf(name: string): Format {
  const format = FORMATS[name]
  if (!format) throw new RangeError(`${name} is not a format; there are ${Object.keys(FORMATS).join(', ')}.`)
  return format
}

/** @throws {RangeError} */
function shapeOf(name: string): Shape {
  const [series = 0, samples = 0] = name.split('x').map(Number)
  if (!(series > 0 && series <= SERIES_MAX && samples > 0)) throw new RangeError(`${name} is not a shape.`)
  return { name, series, samples }
}

async function startTidemark(name: string, checkout: string, directory: string): Promise<Contestant> {
  const dataDir = join(directory, 'data')
  // Each checkout has its own migrations.
  const { writeInstallation } = (await import(
    `${checkout}/test/bench/installation.ts`
  )) as typeof Installation
  await writeInstallation(dataDir, {
    count: SERIES_MAX * LANES,
    timeout: 'PT12H',
    at: Date.now() - 2 * PAST_MS,
  })
  const command = [...AS_SERVICE, `${checkout}/test/bench/host.ts`, 'whole']
  const host = await startProcess({ command, dataDir })
  const stop = async () => {
    host.signal('SIGTERM')
    await host.exited
  }
  const authorization = `Basic ${btoa(`${COLLECTOR.username}:${COLLECTOR.password}`)}`
  return { name, url: host.url, pid: host.pid, authorization, takesOtlp: true, stop }
}

/** One shape, round by round; the first round warms up. */
async function compare(contestants: readonly Contestant[], format: Format, shape: Shape): Promise<void> {
  const measured = contestants.map((): Measured[] => [])
  for (let round = 0; round <= Number(options.rounds); round++) {
    const requests = { format, lanes: bodiesOf(format, shape) }
    if (requests.lanes.flat().some(({ length }) => length > BODY_MAX_BYTES)) {
      process.stdout.write(`\n${shape.name} exceeds the maximum size of a request\n`)
      return
    }
    for (const [index, contestant] of contestants.entries()) {
      const one = await send(contestant, requests, shape)
      if (round > 0) measured[index]?.push(one)
    }
  }
  const first = median((measured[0] ?? []).map(({ cpuUs }) => cpuUs))
  const rows = contestants.map(({ name }, index) => {
    const all = measured[index] ?? []
    const cpuUs = all.map((one) => one.cpuUs)
    return {
      [shape.name]: name,
      'samples per second': Math.round(median(all.map((one) => one.perSecond))),
      'CPU µs a sample': median(cpuUs).toFixed(2),
      least: Math.min(...cpuUs).toFixed(2),
      most: Math.max(...cpuUs).toFixed(2),
      'of Tidemark': (median(cpuUs) / first).toFixed(2),
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

/** When the next request was measured. Instants only grow, so that no server takes a sample for a late one. */
let nextAt = Date.now() - PAST_MS

/** For each lane the requests of its own series, in order of time: as the shards of Prometheus send them. */
function bodiesOf(format: Format, { series, samples }: Shape): readonly (readonly Body[])[] {
  const wanted = Math.round(Number(options.samples) / (series * samples))
  const count = Math.min(REQUESTS_MAX, Math.max(REQUESTS_MIN, wanted))
  const bodyOf = (lane: number) => {
    const at = Array.from({ length: samples }, () => (nextAt += STEP_MS))
    const all = at.flatMap((instant) =>
      Array.from({ length: series }, (_, index) => sampleOf(lane * SERIES_MAX + index, instant)),
    )
    return format.bodyOf(all)
  }
  return Array.from({ length: LANES }, (_, lane) =>
    Array.from({ length: Math.ceil(count / LANES) }, () => bodyOf(lane)),
  )
}

function sampleOf(index: number, at: number): Sample {
  return { index, at, value: (2_000 + ((index * 7 + at) % 500)) / 100 }
}

function instanceOf(index: number): string {
  return `host-${index}.example.net:9100`
}

function seriesOf({ index, at, value }: Sample) {
  const labels = {
    __name__: 'value',
    instance: instanceOf(index),
    job: 'node',
    tidemark_job: String(FIRST_JOB_ID + index),
  }
  return { labels, samples: [[value, at]] as const }
}

function pointOf({ index, at, value }: Sample) {
  const attributes = {
    instance: instanceOf(index),
    job: 'node',
    'tidemark.job': String(FIRST_JOB_ID + index),
  }
  return { attributes, value, at }
}

async function send(
  { name, url, pid, authorization }: Contestant,
  { format, lanes }: { readonly format: Format; readonly lanes: readonly (readonly Body[])[] },
  { series, samples }: Shape,
): Promise<Measured> {
  const before = await cpuSecondsOf(pid)
  const beganAt = performance.now()
  const sendAll = async (bodies: readonly Body[]) => {
    for (const body of bodies) {
      const headers = { ...format.headers, authorization }
      const answer = await fetch(url + format.path, { method: 'POST', headers, body })
      const text = await answer.text()
      // OTLP reports rejected points in the body of a 200.
      if (answer.ok && (text === '' || text === '{}')) continue
      // Senders wait and repeat what a server cannot take now.
      if (answer.status !== 503) throw new Error(`${name}: ${answer.status} ${text.slice(0, 400)}`)
      await Bun.sleep(RETRY_MS)
      await sendAll([body])
    }
  }
  await Promise.all(lanes.map(sendAll))
  const seconds = (performance.now() - beganAt) / 1000
  const count = lanes.flat().length * series * samples
  return { perSecond: count / seconds, cpuUs: (((await cpuSecondsOf(pid)) - before) * 1e6) / count }
}

await main()
