import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { hashPassword } from '../../src/access/users/password.ts'
import type { JobRules } from '../../src/domain/job-rules.ts'
import { step } from '../../src/monitoring/jobs/actor.ts'
import type { ActorState } from '../../src/monitoring/jobs/actor.ts'
import { prepare, writeActors, writeMeta } from '../../src/monitoring/engine/store.ts'
import { rulesOf } from '../../src/monitoring/job-config/rules.ts'
import { parametersSchema, thresholdsSchema } from '../../src/monitoring/job-config/schema.ts'
import { bandOf, windowEdgesOf } from '../../src/monitoring/states/band.ts'
import type { Band } from '../../src/monitoring/states/band.ts'
import type { Delivery } from '../../src/domain/delivery.ts'
import { readKeyFile } from '../../workers/server/key-file.ts'
import { migrate, openLibsql } from '../../workers/server/libsql.ts'
import type { Libsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { secretsOf } from '../../workers/secrets.ts'

export const COLLECTOR = { username: 'collector', password: 'a password of a bench' } as const
/** May read what the jobs have received. */
export const READER = { username: 'reader', password: COLLECTOR.password } as const

const DEVICE_ID = 2
/** The jobs of an installation are numbered from here. */
export const FIRST_JOB_ID = 3
const ROWS_AT_ONCE = 5_000

export type JobsWanted = {
  readonly count: number
  readonly timeout: string
  /** When the deadline of the n-th job is, epoch ms; as the timeout has it unless given. */
  readonly deadlineAt?: (index: number) => number
  /** When the jobs were made and had their first values, epoch ms; now unless given. */
  readonly at?: number
  /** True for jobs that have not received anything, so that samples of the past are not late. */
  readonly isBlank?: boolean
  /** One more limit of each job, on the value, which all values keep. */
  readonly limit?: Limit
}

/** A limit that looks ahead or adapts. */
export type Limit = keyof typeof LIMITS

/** A value with a threshold on it and one on the error code: what a delivery is judged by. */
const PLAIN = {
  minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 1_000_000 }] },
  warning: { conditions: [{ key: 'errorCode', operator: '<>', value: 0 }] },
}

export const LIMITS = {
  inFuture: { key: 'returnValue1', operator: '>', value: 1_000_000, inFuture: 'PT4H' },
  adaptive: { key: 'returnValue1', operator: '<>', value: 0, adaptiveValues: { window: 'P28D' } },
}
/** Values that a limit has learned from: all of a window of 16 hours has one in each of 64 cells. */
const LEARNED = 64
const LEARNED_MS = 15 * 60_000

/** Every job has had its first values, like one that is silent now. */
export const DELIVERY: Delivery = {
  signal: 'result',
  values: { returnValue1: 12.5 },
  errorCode: 0,
  timestampAt: null,
  message: null,
  ttlMs: null,
  runId: null,
}

/** Writes an installation with one device, its jobs and a collector straight to its databases, faster than calls could. */
export async function writeInstallation(dataDir: string, wanted: JobsWanted): Promise<readonly number[]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await readKeyFile(join(dataDir, 'key'), true)
  const ids = Array.from({ length: wanted.count }, (_, index) => FIRST_JOB_ID + index)
  const system = await openLibsql(`file:${join(dataDir, 'config.db')}`)
  await migrate(system.database, join(import.meta.dir, '../../db/migrations'))
  const parameters = parametersSchema.parse({
    timeout: wanted.timeout,
    returnValue: [{ valueName: 'value' }],
  })
  const { limit } = wanted
  const thresholds = thresholdsSchema.parse(
    limit ? { ...PLAIN, major: { conditions: [LIMITS[limit]] } } : PLAIN,
  )
  await writeConfiguration(system, ids, { parameters, thresholds })
  await system.close()
  const file = await openLibsql(`file:${join(dataDir, 'values.db')}`)
  const values = valuesInLibsql(file, { onBroken: () => undefined })
  await prepare(values)
  const configuration = {
    revision: 1,
    createdAt: 0,
    collectorId: 0,
    intervalMs: 0,
    stopped: false,
    forcedState: null,
    flapping: null,
    parameters,
    thresholds,
  }
  const rules = rulesOf(configuration, 'UTC')
  const at = wanted.at ?? Date.now()
  const bands = bandsAt(rules, at)
  for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
    const rows = ids.slice(from, from + ROWS_AT_ONCE).map((jobId, index) => {
      const created = step(null, { kind: 'configure', jobId, rules }, at).state
      const state = wanted.isBlank
        ? created
        : withValues(created, { at, bands, isLearning: limit !== undefined })
      return { jobId, walId: 0, state: withDeadline(state, wanted.deadlineAt?.(from + index)) }
    })
    await values.commit(writeActors(rows))
  }
  await values.commit([writeMeta('heartbeat', Date.now())])
  await file.close()
  return ids
}

/** The bands of adaptive limits as of an instant, learned from values around 12 in each hour. */
function bandsAt({ thresholds }: JobRules, at: number): readonly (readonly [place: number, band: Band])[] {
  return thresholds
    .flatMap(({ conditions }) => conditions)
    .flatMap(({ adaptive }, place) => {
      if (!adaptive) return []
      const edges = windowEdgesOf(adaptive, at)
      const buckets = edges.slice(0, -1).map((beginAt, index) => ({
        at: beginAt,
        endAt: edges[index + 1] ?? at,
        min: 8 + (index % 5),
        max: 13 + (index % 5),
        count: 60,
      }))
      return [[place, bandOf(adaptive, { buckets, spells: [], maintenance: [] }, at)] as const]
    })
}

/** A job that has received values: one, or as many as a limit that looks ahead learns from. */
function withValues(
  created: ActorState,
  { at, bands, isLearning }: { at: number; bands: ReturnType<typeof bandsAt>; isLearning: boolean },
): ActorState {
  let state = created
  for (let index = isLearning ? LEARNED : 0; index >= 0; index--) {
    const values = { returnValue1: 12.5 + (index % 3) / 4 }
    const delivery = { ...DELIVERY, values, timestampAt: at - index * LEARNED_MS }
    state = step(state, { kind: 'deliver', delivery }, at).state
  }
  return bands.length === 0 ? state : step(state, { kind: 'bands', revision: 1, bands }, at).state
}

function withDeadline(state: ActorState, at: number | undefined): ActorState {
  return at === undefined ? state : { ...state, deadline: { at, means: 'timeout' } }
}

async function writeConfiguration(
  { client }: Libsql,
  ids: readonly number[],
  { parameters, thresholds }: { readonly parameters: unknown; readonly thresholds: unknown },
): Promise<void> {
  const secrets = secretsOf(crypto.getRandomValues(new Uint8Array(32)))
  const hash = await hashPassword(
    { secrets, clock: { now: () => Date.now(), monotonic: () => performance.now() } },
    COLLECTOR.password,
  )
  const columns =
    'type, sub_type, name, name_folded, parent_id, path, is_template, instance_type, collector_id, version, created_at'
  const now = Date.now()
  await client.batch(
    [
      {
        sql: `insert into users (username, password_hash, role, type, fullname, email, phone, language, time_zone, version, created_at)
              values (?, ?, 'collector', 'user', '', '', '', 'en', '', 1, ?),
                     (?, ?, 'administrator', 'user', '', '', '', 'en', '', 1, ?)`,
        args: [COLLECTOR.username, hash, now, READER.username, hash, now],
      },
      {
        sql: `insert into objects (id, ${columns})
              values (${DEVICE_ID}, 'device', 'device', 'device', 'device', 1, '/1/${DEVICE_ID}/', 0, 'none', 0, 1, ?)`,
        args: [now],
      },
      `insert into devices (id, address, netmask, device_name, parameter) values (${DEVICE_ID}, '', '', '', '{}')`,
      {
        sql: `insert into objects (id, ${columns})
              select value, 'job', 'webcollector', 'job ' || value, 'job ' || value, ${DEVICE_ID},
                     '/1/${DEVICE_ID}/' || value || '/', 0, 'none', 0, 1, ?
              from json_each(?)`,
        args: [now, JSON.stringify(ids)],
      },
      {
        sql: `insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds)
              select value, 'PT0S', 0, 0, ?, ? from json_each(?)`,
        args: [JSON.stringify(parameters), JSON.stringify(thresholds), JSON.stringify(ids)],
      },
      {
        sql: `insert into job_values (job_id, key, name_folded) select value, 'returnValue1', 'value' from json_each(?)`,
        args: [JSON.stringify(ids)],
      },
      {
        sql: `insert into states (object_id, seq, state, since_at) select value, 0, 'ok', ? from json_each(?)`,
        args: [now, JSON.stringify(ids)],
      },
    ],
    'write',
  )
}
