import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { Job } from '../../src/monitoring/engine/head/job.ts'
import { IngestOutage } from '../../src/monitoring/engine/ingest/outage.ts'
import type { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import type { Seams } from '../../workers/server/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { engineOf } from '../hosts/engine-of.ts'
import { acknowledgingEarly } from './early-values.ts'

const SLOW_MS = 500
const BLOCKED_MS = 1_500
const LOOK_MS = 5

let slowMs = 0
process.on('SIGUSR1', () => {
  slowMs = SLOW_MS
})

const { startServer } =
  'deno' in process.versions
    ? await import('../../workers/deno/server.ts')
    : await import('../../workers/bun/server.ts')

// The host on Bun or on Deno as a process, with one part made worse on purpose or not; the argument says which.
const HOSTS: Readonly<Record<string, Seams>> = {
  whole: {},
  'flushes-all-the-time': {},
  'acknowledges-early': { values: acknowledgingEarly },
  'ignores-failures': { values: (values) => around(values, (commit) => commit().catch(() => undefined)) },
  // From SIGUSR1 on.
  'has-a-slow-disk': { values: (values) => around(values, (commit) => Bun.sleep(slowMs).then(commit)) },
  'flushes-seldom': { values: flushingSeldom },
  'blocks-its-loop': {
    values: (values) =>
      around(values, (commit) => {
        Bun.sleepSync(BLOCKED_MS)
        return commit()
      }),
  },
  'forgets-what-waits': {},
  'credits-nothing': { stallMs: Number.POSITIVE_INFINITY },
  'forgets-what-it-refused': {},
}

function around(values: ValuesDatabase, run: (commit: () => Promise<void>) => Promise<void>): ValuesDatabase {
  return {
    read: (statement) => values.read(statement),
    commit: (statements) => run(() => values.commit(statements)),
  }
}

/** A fault of a database: its commits reach the disk some time later. */
function flushingSeldom(values: ValuesDatabase): ValuesDatabase {
  const relaxed = values.commit([{ sql: 'pragma synchronous = normal', cells: [] }])
  return around(values, (commit) => relaxed.then(commit))
}

async function foldAllTheTime(engine: JobEngine): Promise<never> {
  for (;;) {
    // A disk that fails ends the process by itself.
    await engine.flush().catch(() => undefined)
    await setImmediate()
  }
}

/** A fault of a flow: transitions that were pending when the former process died are dropped. */
async function forgetWhatWaits(file: string): Promise<void> {
  if (!existsSync(file)) return
  // This import reads the file with a module of Bun.
  const { AlarmRecord } = await import('./alarm-record.ts')
  const record = new AlarmRecord(file)
  record.forget()
  record.close()
}

/** Faults of an engine. */
function forgetRefusals(): void {
  IngestOutage.prototype.refused = () => undefined
  Job.prototype.refuse = () => undefined
}

/** On SIGUSR2 prints for how long the event loop stood still at most since the last time. */
function watchLoop(): void {
  let lastAt = performance.now()
  let stalledMs = 0
  setInterval(() => {
    const now = performance.now()
    stalledMs = Math.max(stalledMs, now - lastAt - LOOK_MS)
    lastAt = now
  }, LOOK_MS)
  process.on('SIGUSR2', () => {
    process.stdout.write(`stalled ${Math.round(stalledMs)}\n`)
    stalledMs = 0
  })
}

const [name = ''] = process.argv.slice(2)
const seams = HOSTS[name]
if (!seams) throw new RangeError(`There is no host ${name}.`)
const settings = readServerSettings(process.env)
if (name === 'forgets-what-waits') await forgetWhatWaits(join(settings.dataDir, 'config.db'))
if (name === 'forgets-what-it-refused') forgetRefusals()
const server = await startServer(settings, seams)
watchLoop()
if (name === 'flushes-all-the-time') await foldAllTheTime(engineOf(server.ports.jobActors))
