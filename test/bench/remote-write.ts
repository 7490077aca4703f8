import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { writeRequest } from '../api/metrics-bodies.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import { COLLECTOR, FIRST_JOB_ID } from './installation.ts'
import type * as Installation from './installation.ts'
import { cpuSecondsOf, machine, median, tableOf } from './measure.ts'
import { BASIC, HOUR_MS } from './peers/peer.ts'
import { prometheus } from './peers/prometheus.ts'
import { victoria } from './peers/victoria.ts'
import { snappy } from './snappy.ts'

/**
 * Prometheus remote write: the same Snappy bodies to Tidemark, to VictoriaMetrics and to Prometheus, one after the other
 * in each round. The figure is the CPU time of the server process for each sample; samples a second depend on what else
 * the machine does.
 *
 *   npm run bench:remote-write
 *   npm run bench:remote-write -- --before ../other-checkout   also Tidemark of that checkout
 *   npm run bench:remote-write -- --rounds 1 --shapes 1000x1 --peers ''
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Series × samples of each, a request. */
    shapes: { type: 'string', default: '10x1,100x1,1000x1,10000x1,100x10' },
    peers: { type: 'string', default: 'VictoriaMetrics,Prometheus' },
    before: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '4' },
    /** About so many samples are sent to each server in each round. */
    samples: { type: 'string', default: '100000' },
  },
})

const REQUESTS_MAX = 2_000
const REQUESTS_MIN = 20
const STEP_MS = 100
const RETRY_MS = 200
const SERIES_MAX = 10_000
const LANES = Number(options.concurrency)
const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

type Body = Uint8Array<ArrayBuffer>
type Contestant = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly authorization: string
  readonly stop: () => Promise<void>
}
type Shape = { readonly name: string; readonly series: number; readonly samples: number }
type Measured = { readonly perSecond: number; readonly cpuUs: number }

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
      contestants.push({ name: peer.name, url, pid, authorization: BASIC.authorization, stop })
    }
    process.stdout.write(
      `${machine()}\n${options.rounds} rounds, ${options.concurrency} requests at a time\n`,
    )
    for (const shape of options.shapes.split(',').map(shapeOf)) await compare(contestants, shape)
  } finally {
    for (const { stop } of contestants) await stop()
    await rm(directory, { recursive: true })
  }
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
    at: Date.now() - 2 * HOUR_MS,
  })
  const command = [...AS_SERVICE, `${checkout}/test/bench/host.ts`, 'whole']
  const host = await startProcess({ command, dataDir })
  const stop = async () => {
    host.signal('SIGTERM')
    await host.exited
  }
  const authorization = `Basic ${btoa(`${COLLECTOR.username}:${COLLECTOR.password}`)}`
  return { name, url: host.url, pid: host.pid, authorization, stop }
}

/** One shape, round by round; the first round warms up. */
async function compare(contestants: readonly Contestant[], shape: Shape): Promise<void> {
  const measured = contestants.map((): Measured[] => [])
  for (let round = 0; round <= Number(options.rounds); round++) {
    const bodies = bodiesOf(shape)
    for (const [index, contestant] of contestants.entries()) {
      const one = await send(contestant, bodies, shape)
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
let nextAt = Date.now() - HOUR_MS

/** For each lane the requests of its own series, in order of time: as the shards of Prometheus send them. */
function bodiesOf({ series, samples }: Shape): readonly (readonly Body[])[] {
  const wanted = Math.round(Number(options.samples) / (series * samples))
  const count = Math.min(REQUESTS_MAX, Math.max(REQUESTS_MIN, wanted))
  const bodyOf = (lane: number) => {
    const at = Array.from({ length: samples }, () => (nextAt += STEP_MS))
    // As Prometheus writes them: each sample is a series of its own in the message.
    const all = at.flatMap((instant) =>
      Array.from({ length: series }, (_, index) => sampleOf(lane * SERIES_MAX + index, instant)),
    )
    return snappy(writeRequest(all))
  }
  return Array.from({ length: LANES }, (_, lane) =>
    Array.from({ length: Math.ceil(count / LANES) }, () => bodyOf(lane)),
  )
}

function sampleOf(index: number, at: number) {
  const labels = {
    __name__: 'value',
    instance: `host-${index}.example.net:9100`,
    job: 'node',
    tidemark_job: String(FIRST_JOB_ID + index),
  }
  return { labels, samples: [[(2_000 + ((index * 7 + at) % 500)) / 100, at]] as const }
}

async function send(
  { name, url, pid, authorization }: Contestant,
  lanes: readonly (readonly Body[])[],
  { series, samples }: Shape,
): Promise<Measured> {
  const before = await cpuSecondsOf(pid)
  const beganAt = performance.now()
  const sendAll = async (bodies: readonly Body[]) => {
    for (const body of bodies) {
      const headers = { ...HEADERS, authorization }
      const answer = await fetch(`${url}/api/v1/write`, { method: 'POST', headers, body })
      const text = await answer.text()
      if (answer.ok) continue
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
