import { parseArgs } from 'node:util'

import { launch, visit } from '../console/browser.ts'
import { Meter, startLoad } from '../console/load.ts'
import type { Usage } from '../console/load.ts'
import { startBun } from '../hosts/bun.ts'
import { machine, tableOf } from './measure.ts'

/**
 * What the console costs a browser over a long time: the overview and the page of a job receive events at a steady rate.
 * Prints CPU, heap, nodes and listeners of each page. Fails when a heap has grown by more than the budget.
 */
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    values: { type: 'string', default: '80' },
    flips: { type: 'string', default: '20' },
  },
})

const MINUTE_S = 60
const MIB = 1024 * 1024
/** The job's page keeps the latest 5,000 samples: its heap counts from when it is full. */
const WARM_UP_MINUTES = 3
const GROWTH_MAX_BYTES = 10 * MIB

type Reading = {
  readonly minute: number
  readonly page: string
  readonly events: number
  /** How long the round took: on a busy machine its events take longer to send than a minute. */
  readonly seconds: number
  readonly usage: Usage
}

async function main(): Promise<void> {
  process.stdout.write(`${machine()}\n`)
  const host = await startBun()
  const browser = await launch()
  const load = await startLoad(host)
  const place = { browser, base: host.url, folder: 'load', inAllLooks: false }
  const rate = { values: Number(options.values), flips: Number(options.flips) }
  const readings: Reading[] = []
  try {
    await visit(place, '', {}, ({ page: overview }) =>
      visit(place, `job/${load.job}`, {}, async ({ page: job }) => {
        const meters = { overview: await Meter.of(overview), job: await Meter.of(job) }
        for (let minute = 1; minute <= WARM_UP_MINUTES + Number(options.minutes); minute++) {
          const before = { overview: await meters.overview.cpuSeconds(), job: await meters.job.cpuSeconds() }
          const begunAt = performance.now()
          const events = await load.run(MINUTE_S, rate)
          const seconds = (performance.now() - begunAt) / 1_000
          for (const page of ['overview', 'job'] as const) {
            const usage = await meters[page].usage()
            const reading = { minute, page, events, seconds, usage }
            readings.push(reading)
            process.stdout.write(`${lineOf(reading, before[page])}\n`)
          }
        }
      }),
    )
  } finally {
    await load.close()
    await browser.close()
    await host.close()
  }
  report(readings)
}

function lineOf({ minute, page, events, seconds, usage }: Reading, cpuBefore: number): string {
  const cpuSeconds = usage.cpuSeconds - cpuBefore
  return [
    `minute ${minute}`,
    page,
    `${(events / seconds).toFixed(0)} events/s`,
    `${((cpuSeconds / seconds) * 100).toFixed(1)} % of a core`,
    `${((cpuSeconds / events) * 100).toFixed(2)} CPU s per 100 events`,
    `${(usage.heapBytes / MIB).toFixed(2)} MiB`,
    `${usage.nodes} nodes`,
    `${usage.listeners} listeners`,
  ].join(', ')
}

function report(readings: readonly Reading[]): void {
  const rows = (['overview', 'job'] as const).map((page) => {
    const steady = readings.filter((reading) => reading.page === page && reading.minute >= WARM_UP_MINUTES)
    const [first, last] = [steady[0], steady.at(-1)]
    if (!first || !last) throw new Error('Nothing was measured.')
    const grown = last.usage.heapBytes - first.usage.heapBytes
    if (grown > GROWTH_MAX_BYTES) process.exitCode = 1
    const cpuSeconds = last.usage.cpuSeconds - first.usage.cpuSeconds
    const later = steady.slice(1)
    const seconds = sumOf(later.map((reading) => reading.seconds))
    const events = sumOf(later.map((reading) => reading.events))
    return {
      page,
      minutes: (seconds / MINUTE_S).toFixed(0),
      'events/s': (events / seconds).toFixed(0),
      'heap MiB': (last.usage.heapBytes / MIB).toFixed(2),
      'growth MiB': (grown / MIB).toFixed(2),
      'CPU of a core': `${((cpuSeconds / seconds) * 100).toFixed(1)} %`,
      'CPU s per 100 events': ((cpuSeconds / events) * 100).toFixed(2),
      nodes: last.usage.nodes,
      listeners: last.usage.listeners,
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

await main()
