import type { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { Delivery } from '../../src/domain/delivery.ts'
import { ANYBODY, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'

/** The acts on an engine, in order: each act is one commit, and has its own effect on what can be read. */
export type Happening = {
  readonly afterMs: number
  readonly happen: (engine: JobEngine, now: number) => Promise<unknown>
}

export const JOB_IDS = [1, 2, 3]
export const KEYS = ['returnValue1', 'stringValue1', 'errorCode'] as const

const DAY_MS = 86_400_000
const RULES = rulesWith({ timeoutMs: 2 * DAY_MS })

const configure = (jobId: number, revision: number): Happening => ({
  afterMs: MINUTE_MS,
  happen: (engine) => engine.configure(jobId, { ...RULES, revision }),
})

/** A number of four bytes or so that says nothing of its neighbours, and the same one each time. */
const noise = (index: number) => Math.round(Math.sin(index * 12.9898) * 43_758_545.3) / 100

/** So many deliveries at once, evenly over the span that ends now. */
const deliver = (jobId: number, count: number, spanMs: number, part: Partial<Delivery> = {}): Happening => ({
  afterMs: DAY_MS,
  happen: (engine, now) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        // Noisy, so that what goes cold is too large for the database.
        const values = { returnValue1: noise(index + count), stringValue1: `text ${index % 5}` }
        const timestampAt = now - spanMs + Math.floor(((index + 1) * spanMs) / count)
        return engine.deliver(jobId, deliveryWith({ values, timestampAt, ...part }), ANYBODY)
      }),
    ),
})

/** So much later that everything before is cold. */
const muchLater = (jobId: number): Happening => ({ ...deliver(jobId, 2, MINUTE_MS), afterMs: 40 * DAY_MS })

const forget = (jobId: number): Happening => ({
  afterMs: MINUTE_MS,
  happen: (engine) => engine.forget(jobId),
})

/** The deadlines pass. */
const wake: Happening = { afterMs: 3 * DAY_MS, happen: (engine) => engine.wake() }

const ingestGap: Happening = {
  afterMs: DAY_MS,
  happen: (engine, now) => engine.recordIngestGap(now - DAY_MS / 2, now),
}

export const SCENARIO: readonly Happening[] = [
  configure(1, 1),
  configure(2, 1),
  deliver(1, 700, DAY_MS),
  deliver(2, 40, DAY_MS),
  deliver(1, 30, 3 * DAY_MS, { errorCode: 7 }),
  configure(3, 1),
  deliver(3, 520, DAY_MS / 2),
  ingestGap,
  deliver(1, 5, 10 * DAY_MS, { errorCode: 0 }),
  configure(2, 2),
  wake,
  deliver(2, 600, DAY_MS, { errorCode: 0 }),
  forget(3),
  deliver(1, 3_600, DAY_MS),
  configure(3, 1),
  deliver(3, 3, DAY_MS),
  muchLater(1),
  muchLater(2),
  forget(1),
]
