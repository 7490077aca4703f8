import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Condition } from '../../src/domain/job-rules.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { Log } from '../../src/ports/log.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { ANYBODY, BEGIN_AT, conditionWith, deliveryWith, MINUTE_MS, rulesWith } from '../engine/rules.ts'
import { machine, median, quantile, tableOf } from './measure.ts'

// Processor time of a durable delivery in the engine, without HTTP, by the kind of the limit of its job: in turn within
// one run. Values come once a second and are within all limits. Other processes make single rounds slow, so the fastest
// quarter of the rounds is compared; `plain again` shows the noise.

const JOBS = 500
const SECONDS = 20
const ROUNDS = 101
const HOUR_MS = 60 * MINUTE_MS
const HISTORY = 7 * 48

const ADAPTIVE = {
  windowMs: 7 * 24 * HOUR_MS,
  season: 'day',
  bucketMs: HOUR_MS,
  timeZone: 'UTC',
  factor: 3,
  side: 'both',
  minSamples: 3,
  minWidth: 0,
  offset: 0,
  learnsMaintenance: true,
} as const

const LIMITS: Readonly<Record<string, Condition>> = {
  plain: conditionWith({ value: 1_000 }),
  'plain again': conditionWith({ value: 1_000 }),
  adaptive: conditionWith({ predicted: true, adaptive: ADAPTIVE }),
  predicted: conditionWith({
    value: 1_000,
    predicted: true,
    ahead: { withinMs: 4 * HOUR_MS, windowMs: 16 * HOUR_MS },
  }),
}

type Variant = { readonly engine: JobEngine; readonly clock: { now: number } }

/** An engine whose jobs have a limit and a week of history. */
async function open(folder: string, limit: Condition): Promise<Variant> {
  const clock = { now: BEGIN_AT }
  const libsql = await openLibsql(`file:${folder}.db`)
  const log: Log = { info() {}, warn() {}, error: (message) => process.stderr.write(`${message}\n`) }
  const engine = await JobEngine.open({
    values: valuesInLibsql(libsql, {
      onBroken: (cause) => {
        throw cause
      },
    }),
    freeBytes: () => Number.POSITIVE_INFINITY,
    blobs: await openBlobsDirectory(`${folder}-blobs`, log),
    clock: { now: () => clock.now, monotonic: () => clock.now },
    log,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    follow: () => Promise.resolve(),
    armed() {},
  })
  const at = Array.from({ length: HISTORY }, (_, index) => BEGIN_AT - (HISTORY - index) * 30 * MINUTE_MS)
  const run = { key: 'returnValue1', at, values: at.map((_, index) => (index % 7) + Math.floor(index / 48)) }
  const thresholds = [{ level: 'major', mode: 'or', conditions: [limit] }] as const
  for (let jobId = 1; jobId <= JOBS; jobId++) {
    await engine.configure(jobId, rulesWith({ timeoutMs: null, thresholds }))
    await engine.deliverAll([{ jobId, sent: { run }, repeat: null }], ANYBODY)
  }
  while (engine.nextBandsAt <= clock.now) await engine.makeBands()
  await engine.flush()
  return { engine, clock }
}

/** Microseconds of processor time for each delivery of some seconds. */
async function deliver({ engine, clock }: Variant): Promise<number> {
  const before = process.cpuUsage()
  for (let second = 0; second < SECONDS; second++) {
    clock.now += 1_000
    const delivery = deliveryWith({ values: { returnValue1: 4 + (second % 3) }, errorCode: 0 })
    const sent: Promise<unknown>[] = []
    for (let jobId = 1; jobId <= JOBS; jobId++) sent.push(engine.deliver(jobId, delivery, ANYBODY))
    await Promise.all(sent)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (SECONDS * JOBS)
}

const folder = await mkdtemp(join(tmpdir(), 'tidemark-limits-'))
try {
  const variants = new Map<string, Variant>()
  for (const [name, limit] of Object.entries(LIMITS))
    variants.set(name, await open(join(folder, name), limit))
  const rounds: Record<string, number>[] = []
  for (const variant of variants.values()) await deliver(variant)
  for (let round = 0; round < ROUNDS; round++) {
    const times: Record<string, number> = {}
    // Each kind is the first one as often as the others.
    const order = [...variants]
    order.push(...order.splice(0, round % order.length))
    for (const [name, variant] of order) times[name] = await deliver(variant)
    rounds.push(times)
  }
  process.stdout.write(`${machine()}\n${JOBS} jobs, ${ROUNDS} rounds of ${SECONDS * JOBS} deliveries\n\n`)
  const fastOf = (limit: string) =>
    quantile(
      rounds.map((times) => times[limit] ?? 0),
      0.25,
    )
  const rows = Object.keys(LIMITS).map((limit) => ({
    limit,
    'CPU µs each, median': median(rounds.map((times) => times[limit] ?? 0)).toFixed(2),
    'fastest quarter': fastOf(limit).toFixed(2),
    'of plain': (fastOf(limit) / fastOf('plain')).toFixed(3),
  }))
  process.stdout.write(`${tableOf(rows)}\n`)
} finally {
  await rm(folder, { recursive: true })
}
process.exit(0)
