import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { openDispatch, withScripts } from '../../src/automation/runs/service.ts'
import { dueWork } from '../../src/analytics/forecasts/service/due.ts'
import type { Context } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { RefusalMemory } from '../../src/monitoring/jobs/refusals/memory.ts'
import { Hub } from '../../src/monitoring/events/service.ts'
import { parseEnvironment } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import { ALWAYS_HEALTHY } from '../../src/ports/ingest-health.ts'
import type { Ports } from '../../src/ports/index.ts'
import { openServerDatabases } from '../../workers/server/databases.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { migrate, openLibsql } from '../../workers/server/libsql.ts'
import { openTables } from '../../workers/bun/tables.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { openLdap } from '../../workers/ldap.ts'
import { openMail } from '../../workers/mail.ts'
import { secretsOf } from '../../workers/secrets.ts'
import { FAST_DIR } from './fast-dir.ts'
import { lightHash } from './light-hash.ts'
import { limitParameters } from './parameter-limit.ts'

const DEFAULTS = settingsOf(parseEnvironment(settingsSchema, {}))

/** A clock that stands still until it is moved. */
export type HandClock = { at: number; now(): number; monotonic(): number }

/** Real ports with a clock moved by hand and no job actors, for verbs that depend on time. */
export async function openPorts(settings: Partial<Ports['settings']> = {}) {
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-ports-'))
  const libsql = await openLibsql(`file:${join(dataDir, 'config.db')}`)
  const { database, close } = libsql
  limitParameters(libsql)
  await migrate(database, join(import.meta.dirname, '../../db/migrations'))
  const clock: HandClock = {
    at: Date.UTC(2026, 2, 2, 9),
    now() {
      return this.at
    },
    monotonic() {
      return this.at
    },
  }
  const logs: string[] = []
  const log = jsonLog((line) => logs.push(line))
  const allSettings = { ...DEFAULTS, timeZone: 'Europe/Zurich', ...settings }
  const events = new Hub({ database, clock, log, settings: allSettings })
  const secrets = secretsOf(crypto.getRandomValues(new Uint8Array(32)), [], lightHash)
  const refuse = () => Promise.reject(new Refusal('unavailable', 'There are no job actors here.'))
  const blobs = await openBlobsDirectory(join(dataDir, 'blobs'), log)
  const tables = await openTables({ directory: join(dataDir, 'tables'), blobs, clock, log })
  const parts: Omit<Ports, 'dispatch' | 'scripts'> = {
    database,
    blobs,
    tables,
    databases: openServerDatabases(allSettings),
    jobActors: {
      archivesMax: 0,
      snapshotsMax: 0,
      configure: refuse,
      takeBands: refuse,
      deliver: refuse,
      deliverAll: refuse,
      deliverRounds: refuse,
      snapshot: refuse,
      buckets: refuse,
      bucketsAll: refuse,
      samples: refuse,
      archive: refuse,
      restore: refuse,
      forget: refuse,
    },
    refusedDeliveries: new RefusalMemory(),
    flow: openStatePipeline({ database, clock, log, events }),
    events,
    clock,
    consoleAssets: { find: async () => null },
    log,
    secrets,
    directory: settings.ldap ? openLdap(settings.ldap) : null,
    settings: allSettings,
    network: {
      addressOf: () => '192.0.2.7',
      takesLong: () => undefined,
      fetch: (request) => fetch(request),
      fetchOutside: (request) => fetch(request, { redirect: 'manual' }),
    },
    mail: openMail(null),
    traces: null,
    translator: null,
    ingestHealth: { ...ALWAYS_HEALTHY, unknownLimits: () => Promise.resolve([]) },
    inBackground: null,
  }
  const ports = withScripts({ ...parts, dispatch: openDispatch(parts, dueWork) })
  return {
    ports,
    clock,
    events,
    /** What was logged so far, a line each. */
    logs,
    async close() {
      tables.close()
      await close()
      await rm(dataDir, { recursive: true })
    },
  }
}

/** The administrator, asking for nothing over HTTP. */
export function administratorOf(ports: Ports): Context {
  const caller = {
    kind: 'user',
    userId: 1,
    username: 'admin',
    role: 'administrator',
    sessionHash: null,
  } as const
  return { ports, caller, requestId: 'test' }
}
