import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { load, requireTools, start } from './load.ts'
import type { Run, Variant } from './load.ts'
import { machine, median, tableOf } from './measure.ts'

/**
 * Durable deliveries of one value a second over HTTP, through session, validation and thresholds, against the same
 * server answering an empty POST, and the same without its journal: in turn within one run, server and load each on
 * a core of their own. Needs wrk 4.1 and taskset.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '64,256' },
    only: { type: 'string', default: 'floor,no-journal,whole' },
  },
})

/** A run beside which others took more of the machine than this, in cores, says nothing; it is done again. */
const OTHERS_MAX = 0.12
const TRIES_MAX = 20
/** Until the compiler has seen everything. */
const WARM_UP_S = 4

async function main(): Promise<void> {
  requireTools()
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const variants: Variant[] = []
  try {
    for (const name of options.only.split(','))
      variants.push(await start({ name, jobs: Number(options.jobs) }, join(directory, name)))
    process.stdout.write(
      `${machine()}\n${options.jobs} jobs, ${options.rounds} rounds of ${options.seconds} s, medians\n`,
    )
    for (const connections of options.connections.split(',')) await compare(variants, Number(connections))
  } finally {
    for (const { host } of variants) {
      host.signal('SIGTERM')
      await host.exited
    }
    await rm(directory, { recursive: true })
  }
}

async function compare(variants: readonly Variant[], connections: number): Promise<void> {
  const runs = new Map<string, Run[]>(variants.map(({ name }) => [name, []]))
  for (const variant of variants) await load(variant, connections, WARM_UP_S)
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const variant of variants) runs.get(variant.name)?.push(await loadInPeace(variant, connections))
  }
  const floor = median(runs.get('floor')?.map(({ perSecond }) => perSecond) ?? [])
  const rows = [...runs].map(([name, all]) => {
    const of = (pick: (run: Run) => number) => median(all.map(pick))
    const perSecond = of((run) => run.perSecond)
    return {
      [`${connections} connections`]: name,
      'per second': Math.round(perSecond),
      'of floor': floor === 0 ? '' : `${Math.round((100 * perSecond) / floor)} %`,
      'CPU µs each': of((run) => run.cpuUs).toFixed(1),
      'p50 ms': of((run) => run.p50Ms).toFixed(2),
      'p99 ms': of((run) => run.p99Ms).toFixed(2),
      'RSS MiB': Math.round(of((run) => run.residentBytes) / 1024 / 1024),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      'others, cores': of((run) => run.othersCores).toFixed(2),
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

/** The load beside which others took least of the machine, once that is little. */
async function loadInPeace(variant: Variant, connections: number): Promise<Run> {
  let best = await load(variant, connections, Number(options.seconds))
  for (let tried = 1; best.othersCores > OTHERS_MAX && tried < TRIES_MAX; tried++) {
    const again = await load(variant, connections, Number(options.seconds))
    if (again.othersCores < best.othersCores) best = again
  }
  return best
}

await main()
