import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import { COLLECTOR, FIRST_JOB_ID } from './installation.ts'
import { machine, median, tableOf } from './measure.ts'
import { replay, settled, writeRequests } from './peers/replay.ts'
import type { Load, Replay } from './peers/replay.ts'
import { deliveries, seriesOf } from './peers/samples.ts'
import { fillTidemark } from './peers/tidemark-history.ts'

/**
 * What deliveries feel of tidying: p50 and p99 of single deliveries while nothing else is done, while the samples of jobs
 * that have gone cold are packed anew, and while all parents are looked through, in turn within one run. In each window
 * as many jobs are tidied as a host of 10,000 tidies every ten seconds, and all parents are looked through once, as every
 * night; `--nonstop` does both again and again. Server and load each on a core of their own. Needs wrk 4.1 and taskset.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    jobs: { type: 'string', default: '500' },
    connections: { type: 'string', default: '64' },
    nonstop: { type: 'boolean', default: false },
  },
})

const DAY_MS = 86_400_000
/** Long enough ago to be cold; late values are taken for 30 days. */
const AGE_MS = 45 * DAY_MS
const MINUTES = 1_440
const WARM_UP_S = 3
const KINDS = ['nothing', 'tidy', 'sweep'] as const
type Kind = (typeof KINDS)[number]
/** How often it is done in a window. */
const TIMES: Readonly<Record<Kind, number>> = { nothing: 0, tidy: 28, sweep: 1 }

type Bench = { readonly url: string; readonly of: Replay; readonly jobs: number }
type Run = Load & { readonly done: number }

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const jobs = Number(options.jobs)
  const dataDir = join(directory, 'data')
  const beginAt = Math.floor((Date.now() - AGE_MS) / DAY_MS) * DAY_MS
  const series = Array.from({ length: jobs }, (_, index) =>
    seriesOf({ job: index + 1, count: MINUTES, beginAt, jitterMs: 0, shape: 'gauge' }),
  )
  await fillTidemark(dataDir, jobs, series, 'flushed')
  const command = ['taskset', '-c', '0', ...AS_SERVICE, `${import.meta.dir}/host.ts`, 'tidying']
  const host = await startProcess({ command, dataDir })
  try {
    const bench = await prepare(host, directory, jobs)
    const runs = new Map<Kind, Run[]>(KINDS.map((kind) => [kind, []]))
    await replay(bench.of, WARM_UP_S)
    const rounds = Number(options.rounds)
    for (let round = 0; round < rounds; round++) {
      for (const kind of KINDS) runs.get(kind)?.push(await load(bench, kind, [round, rounds]))
    }
    process.stdout.write(
      `${machine()}\n${jobs} jobs, ${rounds} rounds of ${options.seconds} s, medians\n\n${rowsOf(runs)}\n`,
    )
  } finally {
    host.signal('SIGTERM')
    await host.exited
    await rm(directory, { recursive: true })
  }
}

async function prepare(
  { url, pid }: { readonly url: string; readonly pid: number },
  directory: string,
  jobs: number,
): Promise<Bench> {
  const login = await fetch(`${url}/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(COLLECTOR),
  })
  const { sessionId } = (await login.json()) as { sessionId: string }
  const requests = deliveries(jobs, 1).map(([sample]) => ({
    method: 'POST' as const,
    path: `/webcollector/jobs/${FIRST_JOB_ID + (sample?.job ?? 1) - 1}/values`,
    headers: { 'content-type': 'application/json', 'x-session-id': sessionId },
    body: JSON.stringify({ returnValue1: sample?.value ?? 0, errorCode: 0 }),
  }))
  const path = await writeRequests(directory, requests)
  const of = { running: { url, pid }, path, connections: Number(options.connections), sent: 0 }
  return { url, of, jobs }
}

/** A load, and beside it the work of its kind again and again; `done` says how often it was. */
async function load({ url, of, jobs }: Bench, kind: Kind, [round, rounds]: [number, number]): Promise<Run> {
  await settled(of.running.pid)
  let [done, isOver] = [0, false]
  // What is cold is packed once: each window has jobs of its own.
  const ownJobs = Math.floor(jobs / rounds)
  const once = options.nonstop && kind !== 'nothing' ? Number.POSITIVE_INFINITY : TIMES[kind]
  const times = kind === 'tidy' ? Math.min(once, ownJobs) : once
  const work = async () => {
    for (; done < times && !isOver; done++) {
      const answer = await fetch(`${url}/${kind}/${FIRST_JOB_ID + ownJobs * round + done}`, {
        method: 'POST',
      })
      if (!answer.ok) throw new Error(`${kind}: ${answer.status}`)
    }
  }
  const working = work()
  const result = await replay(of, Number(options.seconds))
  isOver = true
  await working
  return { ...result, done }
}

function rowsOf(runs: ReadonlyMap<Kind, readonly Run[]>): string {
  const of = (kind: Kind, pick: (run: Run) => number) => median((runs.get(kind) ?? []).map(pick))
  return tableOf(
    KINDS.map((kind) => ({
      beside: kind,
      times: Math.round(of(kind, ({ done }) => done)),
      'per second': Math.round(of(kind, ({ perSecond }) => perSecond)),
      'p50 ms': of(kind, ({ p50Ms }) => p50Ms).toFixed(2),
      'p99 ms': of(kind, ({ p99Ms }) => p99Ms).toFixed(2),
      'p99 to nothing': (of(kind, ({ p99Ms }) => p99Ms) / of('nothing', ({ p99Ms }) => p99Ms)).toFixed(2),
      'others, cores': of(kind, ({ othersCores }) => othersCores).toFixed(2),
    })),
  )
}

await main()
