import { setPriority } from 'node:os'
import { parseArgs } from 'node:util'

import type { Means } from '../../workers/runner/sandbox/level.ts'
import { jobIn, openStage, runIn } from '../runner/sandbox-stage.ts'
import type { Stage } from '../runner/sandbox-stage.ts'
import { machine, median, quantile, tableOf } from './measure.ts'

/**
 * What a sandbox adds to a job that does nothing, `python3 -c pass`: the time from its start until nothing of it is left,
 * at each level and without any sandbox, in turn within one run. What counts is the difference of the medians, and on a
 * busy machine that of the CPU time of all its processes.
 */
const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '40' } } })

const LEVELS: readonly (readonly [title: string, without: readonly Means[]])[] = [
  ['all that the machine has', []],
  ['without namespaces', ['namespaces']],
  ['without namespaces and Landlock', ['namespaces', 'landlock']],
]

const COMMAND = ['/usr/bin/python3', '-c', 'pass']

type Row = {
  readonly title: string
  readonly times: number[]
  readonly run: () => Promise<unknown>
  cpuMs: number
}

/** User and system time of all children that have ended, and of theirs (proc(5): `stat`), in steps of 10 ms. */
async function cpuMsOfEnded(): Promise<number> {
  const text = await Bun.file('/proc/self/stat').text()
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The same priority, since else what runs beside it would weigh on one of them alone. */
function bare(): Promise<number> {
  const started = Bun.spawn(COMMAND)
  setPriority(started.pid, 10)
  return started.exited
}

async function main(): Promise<void> {
  const stages: Stage[] = []
  const rows: Row[] = [{ title: 'bare, with the priority of jobs', times: [], cpuMs: 0, run: bare }]
  for (const [title, without] of LEVELS) {
    const stage = await openStage({ without: new Set(without) })
    stages.push(stage)
    const start = { ...jobIn(await stage.room(), COMMAND), kind: 'python' } as const
    rows.push({
      title: `${stage.sandbox.isolation}: ${title}`,
      times: [],
      cpuMs: 0,
      run: () => runIn(stage, start),
    })
  }
  for (const { run } of rows) await run()
  for (let round = 0; round < Number(options.runs); round++) {
    for (const row of rows) {
      const began = performance.now()
      const cpuBegan = await cpuMsOfEnded()
      await row.run()
      row.times.push(performance.now() - began)
      row.cpuMs += (await cpuMsOfEnded()) - cpuBegan
    }
  }
  const times = (of: Row | undefined) => of?.times ?? []
  const least = (of: Row | undefined) => quantile(times(of), 0)
  const [first] = rows
  const shown = rows.map((row) => ({
    level: row.title,
    'median ms': median(times(row)).toFixed(1),
    'p95 ms': quantile(times(row), 0.95).toFixed(1),
    'over bare ms': (median(times(row)) - median(times(first))).toFixed(1),
    'least over least ms': (least(row) - least(first)).toFixed(1),
    'CPU ms': (row.cpuMs / row.times.length).toFixed(1),
  }))
  process.stdout.write(`${machine()}\n${options.runs} runs each\n\n${tableOf(shown)}\n`)
  for (const stage of stages) await stage.close()
}

await main()
