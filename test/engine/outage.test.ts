import { afterAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test'

import * as fc from 'fast-check'

import { IngestOutage } from '../../src/monitoring/engine/ingest/outage.ts'
import { step } from '../../src/monitoring/jobs/actor.ts'
import { requireRate } from '../../src/monitoring/engine/ingest/admission.ts'
import { BURST_MAX, Job } from '../../src/monitoring/engine/head/job.ts'
import { codeOf } from '../refusals.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 25)
const TIMEOUT_MS = 4_000
const LOOK_MS = 250
const [LIVING, DEAD] = [1, 2]

type Story = {
  readonly periodMs: number
  readonly kind: 'fails' | 'is full'
  readonly fromMs: number
  readonly forMs: number
}
const story: fc.Arbitrary<Story> = fc.record({
  periodMs: fc.integer({ min: 250, max: TIMEOUT_MS - LOOK_MS }),
  kind: fc.constantFrom('fails', 'is full'),
  fromMs: fc.integer({ min: 0, max: 6_000 }),
  forMs: fc.integer({ min: 100, max: 20_000 }),
})

/** Whether the delivery was taken. */
function deliver({ engine }: Stage, jobId: number): Promise<boolean> {
  const delivery = deliveryWith({ values: { returnValue1: 1 }, errorCode: 0 })
  return engine.deliver(jobId, delivery, ANYBODY).then(
    () => true,
    () => false,
  )
}

function refuse(stage: Stage, kind: Story['kind'], isRefusing: boolean): void {
  stage.values.isAway = kind === 'fails' && isRefusing
  stage.freeBytes = kind === 'is full' && isRefusing ? -1 : Number.POSITIVE_INFINITY
}

/** Lets the scheduler look once, as on Bun. */
async function look({ engine, now }: Stage, ms: number): Promise<void> {
  if (engine.nextAt <= now) await engine.wake().catch(() => undefined)
  // With any outcome of the wake-up.
  if (ms % 1_000 === 0) await engine.beat(now).catch(() => undefined)
}

/** One job whose sender goes on, and one whose sender ends after a delivery, over a storage that refuses for a while. */
async function live(stage: Stage, { periodMs, kind, fromMs, forMs }: Story) {
  const { engine } = stage
  const beganAt = stage.now
  const send = (jobId: number) => deliver(stage, jobId)
  for (const id of [LIVING, DEAD]) {
    await engine.configure(id, rulesWith({ timeoutMs: TIMEOUT_MS }))
    await send(id)
  }
  let sentMs = 0
  let refusals = 0
  let blamed = false
  let foundMs: number | null = null
  for (let ms = LOOK_MS; ms < fromMs + forMs + 5 * TIMEOUT_MS; ms += LOOK_MS) {
    stage.now = beganAt + ms
    refuse(stage, kind, ms >= fromMs && ms < fromMs + forMs)
    if (ms - sentMs >= periodMs) {
      sentMs = ms
      refusals += Number(!(await send(LIVING)))
    }
    await look(stage, ms)
    blamed ||= (await engine.snapshot(LIVING))?.errorCode === 5
    if (foundMs === null && (await engine.snapshot(DEAD))?.errorCode === 5) foundMs = ms
  }
  return { refusals, blamed, foundMs, lastIngestGap: engine.lastIngestGap }
}

test('while storage refuses values, active senders have no alarm, a silent sender times out, and the outage is recorded', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { refusals, blamed, foundMs, lastIngestGap } = await live(await stages.open(), told)
      expect(blamed).toBe(false)
      expect(foundMs).not.toBeNull()
      // Its silence had been found before, or it is found within two timeouts after the outage.
      const [regularMs, endMs] = [TIMEOUT_MS + 2 * LOOK_MS, told.fromMs + told.forMs]
      const isBefore = (foundMs ?? 0) <= regularMs
      if (!isBefore) expect(foundMs ?? 0).toBeLessThanOrEqual(endMs + 2 * TIMEOUT_MS)
      if (refusals > 2 && told.forMs > 3_000) expect(lastIngestGap).not.toBeNull()
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

test('control: an engine that does not record refusals raises alarms for active senders', async () => {
  const spies = [spyOn(IngestOutage.prototype, 'refused'), spyOn(Job.prototype, 'refuse')]
  for (const spy of spies) spy.mockImplementation(() => undefined)
  const told = { periodMs: 500, kind: 'is full', fromMs: 1_000, forMs: 8_000 } as const
  const { blamed } = await live(await stages.open(), told)
  for (const spy of spies) spy.mockRestore()
  expect(blamed).toBe(true)
})

test('a refused delivery extends the deadline like a delivery, if it is the only one in the interval', async () => {
  const stage = await stages.open()
  const { engine } = stage
  await engine.configure(LIVING, rulesWith({ timeoutMs: TIMEOUT_MS }))
  stage.now += TIMEOUT_MS - 500
  stage.freeBytes = -1
  const delivery = deliveryWith({ errorCode: 0 })
  await engine.deliver(LIVING, delivery, ANYBODY).catch(() => undefined)
  const refusedAt = stage.now
  stage.freeBytes = Number.POSITIVE_INFINITY
  stage.now = refusedAt + TIMEOUT_MS - 1
  await engine.wake()
  expect(await engine.snapshot(LIVING)).toMatchObject({ errorCode: 0, deadlineAt: refusedAt + TIMEOUT_MS })
  await stage.crash()
  stage.now++
  await stage.engine.wake()
  expect(await stage.engine.snapshot(LIVING)).toMatchObject({ errorCode: 5, sinceAt: refusedAt + TIMEOUT_MS })
})

test('a job that sends too fast has more time, from its last refusal on', () => {
  const { state } = step(null, { kind: 'configure', jobId: 1, rules: rulesWith() }, BEGIN_AT)
  const job = new Job(state, null)
  for (let sent = 0; sent < BURST_MAX; sent++) requireRate(job, BEGIN_AT + 1)
  expect(job.refusedBy(BEGIN_AT + 9)).toBeNull()
  expect(codeOf(() => requireRate(job, BEGIN_AT + 1))).toBe('too_fast')
  expect(job.refusedBy(BEGIN_AT + 9)).toEqual({ fromAt: BEGIN_AT + 1, toAt: BEGIN_AT + 1 })
})
