import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { openLibsql } from '../../workers/server/libsql.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { writeInstallation } from './installation.ts'
import type { JobsWanted } from './installation.ts'
import { machine, quantile, residentBytesOf, tableOf } from './measure.ts'

/**
 * What jobs cost that nobody delivers to: memory for each, the time in which a host with many of them starts, and how
 * late silence is noticed when many deadlines pass within a while.
 */
const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    only: { type: 'string', default: 'memory,start,lateness' },
  },
})

/** Between the writing of deadlines and the first of them: the host starts, and credits the time it took for that. */
const LEAD_MS = 25_000
const SETTLE_MS = 3_000
const PORT = '18471'

type Row = Readonly<Record<string, string | number>>

async function main(): Promise<void> {
  const count = Number(options.jobs)
  const wanted = options.only.split(',')
  process.stdout.write(`${machine()}\n`)
  if (wanted.includes('memory')) show([await memoryOf(count)])
  if (wanted.includes('start')) show([await startOf(count)])
  if (!wanted.includes('lateness')) return
  show([
    await latenessOf({ count: 10_000, windowMs: 10_000 }),
    await latenessOf({ count: 10_000, windowMs: 60_000 }),
    await latenessOf({ count: 10_000, windowMs: 1_000 }),
    await latenessOf({ count, windowMs: 10_000 }),
    await latenessOf({ count, windowMs: 60_000 }),
  ])
}

function show(rows: readonly Row[]): void {
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

async function memoryOf(count: number): Promise<Row> {
  const empty = await withHost({ count: 0, timeout: 'PT12H' }, memoryAfterCollection)
  const full = await withHost({ count, timeout: 'PT12H' }, memoryAfterCollection)
  return {
    jobs: count,
    'RSS MiB without jobs': mebibytes(empty.resident),
    'RSS MiB': mebibytes(full.resident),
    'RSS bytes each': Math.round((full.resident - empty.resident) / count),
    'heap MiB': mebibytes(full.heap),
    'heap bytes each': Math.round((full.heap - empty.heap) / count),
  }
}

async function startOf(count: number): Promise<Row> {
  const times: number[] = []
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  await writeInstallation(directory, { count, timeout: 'PT12H' })
  for (let round = 0; round < 3; round++) {
    const begin = performance.now()
    const starting = startProcess({
      command: COMMAND,
      dataDir: directory,
      environment: { TIDEMARK_PORT: PORT },
    })
    await firstReady()
    times.push(performance.now() - begin)
    const host = await starting
    // Killed, so that the next start credits its absence to every job.
    host.signal('SIGKILL')
    await host.exited
  }
  await rm(directory, { recursive: true })
  return { jobs: count, 'ready after ms, three starts': times.map(Math.round).join(', ') }
}

async function firstReady(): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => null)
    if (answer?.ok) return
    await Bun.sleep(5)
  }
}

async function latenessOf({ count, windowMs }: { count: number; windowMs: number }): Promise<Row> {
  const beginAt = Date.now() + LEAD_MS
  const deadlineAt = (index: number) => beginAt + Math.floor((index * windowMs) / count)
  const lateness = await withHost({ count, timeout: 'PT12H', deadlineAt }, async (host, dataDir) => {
    const startedAt = Date.now()
    await Bun.sleep(beginAt + windowMs + SETTLE_MS - startedAt)
    host.signal('SIGTERM')
    await host.exited
    return readLateness(dataDir)
  })
  return {
    deadlines: count,
    'within s': windowMs / 1000,
    noticed: lateness.length,
    'earliest ms': quantile(lateness, 0),
    'p50 ms': quantile(lateness, 0.5),
    'p99 ms': quantile(lateness, 0.99),
    'max ms': quantile(lateness, 1),
  }
}

/** How long after its deadline each silence was noticed. */
async function readLateness(dataDir: string): Promise<readonly number[]> {
  const system = await openLibsql(`file:${join(dataDir, 'config.db')}`)
  const { rows } = await system.client.execute(
    `select detected_at - at as late_ms from transitions where reason = 'timeout'`,
  )
  await system.close()
  return rows.map((row) => Number(row['late_ms']))
}

const COMMAND = [...AS_SERVICE, `${import.meta.dir}/host.ts`, 'whole']

async function withHost<Result>(
  jobs: JobsWanted,
  use: (host: HostProcess, dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  await writeInstallation(dataDir, jobs)
  const host = await startProcess({ command: COMMAND, dataDir })
  try {
    return await use(host, dataDir)
  } finally {
    host.signal('SIGTERM')
    await host.exited
    await rm(dataDir, { recursive: true })
  }
}

async function memoryAfterCollection(host: HostProcess): Promise<{ resident: number; heap: number }> {
  await Bun.sleep(2_000)
  for (let round = 0; round < 3; round++) {
    host.signal('SIGUSR2')
    await Bun.sleep(1_000)
  }
  const heap = host.logs
    .map((line) => /^heap (\d+)$/.exec(line)?.[1])
    .findLast((found) => found !== undefined)
  return { resident: await residentBytesOf(host.pid), heap: Number(heap) }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}

await main()
