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
          const events = await load.run(MINUTE_S, rate)
          for (const page of ['overview', 'job'] as const) {
            const usage = await meters[page].usage()
            const reading = { minute, page, events, usage }
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

function lineOf({ minute, page, events, usage }: Reading, cpuBefore: number): string {
  const share = (usage.cpuSeconds - cpuBefore) / MINUTE_S
  return [
    `minute ${minute}`,
    page,
    `${(events / MINUTE_S).toFixed(0)} events/s`,
    `${(share * 100).toFixed(1)} % of a core`,
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
    return {
      page,
      minutes: last.minute - first.minute,
      'heap MiB': (last.usage.heapBytes / MIB).toFixed(2),
      'growth MiB': (grown / MIB).toFixed(2),
      'CPU of a core': `${(((last.usage.cpuSeconds - first.usage.cpuSeconds) / (last.minute - first.minute) / MINUTE_S) * 100).toFixed(1)} %`,
      nodes: last.usage.nodes,
      listeners: last.usage.listeners,
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

await main()
