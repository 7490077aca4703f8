import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { pageGroupOf, nextSlot } from '../../src/monitoring/engine/retention/stagger.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openEngine } from '../../workers/server/engine-scheduler.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { HandTime } from '../hosts/hand-time.ts'
import { ANYBODY, BEGIN_AT, rulesWith } from './rules.ts'
import { until } from '../until.ts'

setDefaultTimeout(180_000)
const folder = await mkdtemp(join(FAST_DIR, 'tidemark-scheduler-'))
afterAll(() => rm(folder, { recursive: true }))

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Two of each neighbourhood. */
const JOBS = Array.from({ length: 40 }, (_, index) => 1 + 32 * index)

/** The scheduler over a real database, with jobs that each hold samples that have expired. */
async function open() {
  const libsql = await openLibsql(`file:${join(folder, 'values.db')}`)
  const errors: string[] = []
  const time = new HandTime(BEGIN_AT)
  const values = valuesInLibsql(libsql, { onBroken: () => errors.push('broken') })
  const log = { info() {}, warn() {}, error: (message: string) => void errors.push(message) }
  const host = {
    values,
    blobs: await openBlobsDirectory(join(folder, 'blobs'), log),
    clock: time,
    log,
    follow: () => Promise.resolve(),
    freeBytes: () => Number.POSITIVE_INFINITY,
  }
  // Time goes in leaps here: none of them is a stall.
  const keeping = await openEngine(host, Number.POSITIVE_INFINITY)
  const { engine } = keeping
  const retention = { rawMs: DAY_MS, minutesMs: 2 * DAY_MS, hoursMs: 3 * DAY_MS }
  const at = Array.from({ length: 20 }, (_, index) => BEGIN_AT - 20 * DAY_MS + index * 1_000)
  for (const id of JOBS) await engine.configure(id, rulesWith({ timeoutMs: null, retention }))
  await engine.deliverAll(
    JOBS.map((jobId) => ({
      jobId,
      sent: { run: { key: 'returnValue1', at, values: at.map(() => 1) } },
      repeat: null,
    })),
    ANYBODY,
  )
  await engine.flush()
  /** The jobs whose old samples are still there. */
  const untidied = async () => {
    const rows = await values.read({
      sql: 'select distinct job_id from segments where series = 1',
      cells: [],
    })
    return rows.map((row) => Number(row['job_id'])).toSorted((a, b) => a - b)
  }
  return { keeping, time, errors, untidied, close: () => libsql.close() }
}

test('retention treats neighbouring jobs together, in their time slot, and not at the start', async () => {
  const { keeping, time, errors, untidied, close } = await open()
  const due = (untilAt: number) => JOBS.filter((id) => nextSlot(pageGroupOf(id), HOUR_MS, BEGIN_AT) > untilAt)
  await keeping.start()
  await Bun.sleep(400)
  expect(await untidied()).toEqual(JOBS)
  for (const minutes of [1, 10, 31, 60]) {
    time.moveTo(BEGIN_AT + minutes * 60_000)
    await until(async () => (await untidied()).length <= due(time.now()).length)
    expect(await untidied()).toEqual(due(time.now()))
  }
  expect(await untidied()).toEqual([])
  expect(due(BEGIN_AT + 10 * 60_000).length).toBeWithin(30, 37)
  await keeping.close()
  await close()
  expect(errors).toEqual([])
})
