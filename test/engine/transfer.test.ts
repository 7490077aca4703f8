import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import { rejection } from '../contract/rejection.ts'
import { MODES } from './naive-modes.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const JOB = 7
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const COUNT = 2_000
const CHUNK = 500

let here: Stage
let there: Stage
beforeEach(async () => {
  here = await stages.open()
  there = await stages.open()
})

const receive = (stage: Stage, value: number, timestampAt: number | null = null) =>
  stage.engine.deliver(
    JOB,
    deliveryWith({ values: { returnValue1: value, stringValue1: textOf(value) }, timestampAt, errorCode: 0 }),
    ANYBODY,
  )

/** Nothing that is smaller once it is deflated. */
function textOf(value: number): string {
  return new Bun.CryptoHasher('sha256').update(String(value)).digest('base64')
}

async function copy(from: Stage, to: Stage, heardSeq = 0): Promise<void> {
  // A flush of before would do otherwise.
  from.now += 1
  const lines = await from.engine.archive(JOB, from.now - 1)
  await to.engine.restore(JOB, { lines, madeAt: from.now, heardSeq })
}

/** Everything that can be asked of a job. */
async function readAll(stage: Stage): Promise<unknown> {
  const edges = Array.from({ length: 61 }, (_, day) => BEGIN_AT + day * DAY_MS)
  const range = { beginAt: 0, endAt: BEGIN_AT + 100 * DAY_MS, skip: 0, limit: 2 * COUNT }
  return {
    snapshot: { ...(await stage.engine.snapshot(JOB)), deadlineAt: null },
    numbers: await stage.engine.samples(JOB, { key: 'returnValue1', ...range }),
    texts: await stage.engine.samples(JOB, { key: 'stringValue1', ...range }),
    buckets: await Promise.all(
      MODES.map((mode) => stage.engine.buckets(JOB, { key: 'returnValue1', edges, mode })),
    ),
  }
}

test('a copy has all stored values, in blobs or not, with expired rollups, also after a crash', async () => {
  const retention = { rawMs: 40 * DAY_MS, minutesMs: 60 * DAY_MS, hoursMs: 1_000 * DAY_MS }
  await here.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1, retention }))
  for (let from = 0; from < COUNT; from += CHUNK) {
    const some = Array.from({ length: CHUNK }, (_, index) => from + index)
    const atOf = (index: number) => BEGIN_AT + index * 36 * MINUTE_MS
    here.now = atOf(from + CHUNK - 1)
    await Promise.all(
      some.map((index) => receive(here, Math.round(Math.sin(index) * 1e6) / 100, atOf(index))),
    )
    await here.engine.flush()
  }
  await here.engine.retention.apply()
  expect((await here.blobs.list('history/')).length).toBeGreaterThan(0)
  expect(await here.count('expired')).toBeGreaterThan(0)
  there.now = here.now
  await receive(here, 1)
  await copy(here, there)
  const all = await readAll(here)
  expect(await readAll(there)).toEqual(all)
  await there.crash()
  expect(await readAll(there)).toEqual(all)
  expect(await there.blobs.list('')).toEqual([])
  await there.engine.flush()
  await there.engine.retention.apply()
  there.now = here.now
  await receive(there, 2)
  await receive(here, 2)
  expect(await there.engine.snapshot(JOB)).toEqual(await here.engine.snapshot(JOB))
})

test('while a copy is read values arrive and no flush runs; flushes continue when reading stops', async () => {
  await here.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1 }))
  await receive(here, 1)
  const lines = await here.engine.archive(JOB, here.now - 1)
  const reader = lines.getReader()
  await reader.read()
  await receive(here, 2)
  const flush = here.engine.flush()
  expect(await Promise.race([flush.then(() => 'flushed'), Bun.sleep(50).then(() => 'waits')])).toBe('waits')
  await reader.cancel()
  await flush
  await copy(here, there)
  const { samples } = await there.engine.samples(JOB, {
    key: 'returnValue1',
    beginAt: 0,
    endAt: BEGIN_AT + DAY_MS,
    skip: 0,
    limit: 9,
  })
  expect(samples.map(({ value }) => value)).toEqual([1, 2])
})

test('a job that was created after the latest flush is copied, too', async () => {
  await here.engine.flush()
  await here.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1 }))
  await receive(here, 5)
  const lines = await here.engine.archive(JOB, here.now - 1)
  await there.engine.restore(JOB, { lines, madeAt: here.now, heardSeq: 0 })
  expect(await readAll(there)).toEqual(await readAll(here))
})

test('deleting a job while it is copied fails the copy', async () => {
  await here.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1 }))
  await receive(here, 1)
  const lines = await here.engine.archive(JOB, here.now - 1)
  await here.engine.forget(JOB)
  expect(await rejection(new Response(lines).text())).toBeInstanceOf(Refusal)
  expect(await rejection(here.engine.archive(JOB, 0))).toMatchObject({ code: 'not_found' })
})

test('the time since the copy is no silence of the sender, and undelivered transitions are delivered', async () => {
  const timeoutMs = HOUR_MS
  await here.engine.configure(JOB, rulesWith({ timeoutMs, textCount: 1 }))
  await receive(here, 1)
  here.now += 2 * HOUR_MS
  await here.engine.wake()
  here.now += MINUTE_MS
  await receive(here, 2)
  await here.engine.settled()
  const before = here.told.length
  expect(before).toBeGreaterThan(1)
  there.now = here.now + 30 * DAY_MS
  await copy(here, there, before - 1)
  expect(there.told[0]).toMatchObject({ objectId: JOB, seq: before, to: here.told.at(-1)?.to })
  await there.engine.wake()
  expect(await there.engine.snapshot(JOB)).toMatchObject({
    errorCode: 0,
    deadlineAt: there.now + timeoutMs,
  })
})

test('a restore that fails leaves no job, and can be done again', async () => {
  await here.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1 }))
  await receive(here, 1)
  await there.engine.configure(JOB, rulesWith({ timeoutMs: null, textCount: 1 }))
  await receive(there, 99)
  there.values.failAt = there.values.commits + 4
  expect(await rejection(copy(here, there))).toBeInstanceOf(Error)
  expect(await there.engine.snapshot(JOB)).toBeNull()
  await there.crash()
  expect(await there.engine.snapshot(JOB)).toBeNull()
  await copy(here, there)
  expect(await readAll(there)).toEqual(await readAll(here))
})
