import { afterAll, beforeEach, describe, expect, test } from 'bun:test'

import { VALUES_VERSION } from '../../db/values.ts'
import { Refusal } from '../../src/lib/errors.ts'
import {
  COMMIT_BYTES,
  WAITING_BYTES_MAX,
  WAITING_ITEMS_MAX,
} from '../../src/monitoring/engine/wal/group-commit.ts'
import { BURST_MAX } from '../../src/monitoring/engine/head/job.ts'
import { UNFLUSHED_BYTES_MAX } from '../../src/monitoring/engine/ingest/capacity.ts'
import type { Delivery } from '../../src/domain/delivery.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, MINUTE_MS, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const stages = await openStages()
afterAll(() => stages.close())

let stage: Stage
beforeEach(async () => {
  stage = await stages.open()
})

const deliver = (jobId: number, part: Partial<Delivery> = {}) =>
  stage.engine.deliver(jobId, deliveryWith(part), ANYBODY)
const numbersOf = async (jobId: number, key = 'returnValue1') => {
  const { samples } = await stage.engine.samples(jobId, {
    key,
    beginAt: 0,
    endAt: BEGIN_AT * 2,
    skip: 0,
    limit: 10_000,
  })
  return samples.map(({ value }) => value)
}

describe('what was answered', () => {
  test('can be read at once, and after a crash', async () => {
    await stage.engine.configure(7, rulesWith())
    expect(await deliver(7, { values: { returnValue1: 12.5, stringValue1: 'v1' }, errorCode: 3 })).toEqual({
      accepted: 2,
      timestampAt: BEGIN_AT,
      late: false,
      state: 'warning',
      errorCode: 3,
      deadlineAt: BEGIN_AT + MINUTE_MS,
    })
    for (const reopen of [() => Promise.resolve(), () => stage.crash()]) {
      await reopen()
      expect(await numbersOf(7)).toEqual([12.5])
      expect(await numbersOf(7, 'stringValue1')).toEqual(['v1'])
      expect(await stage.engine.snapshot(7)).toMatchObject({
        revision: 1,
        state: 'warning',
        sinceAt: BEGIN_AT,
        errorCode: 3,
        current: { returnValue1: { value: 12.5, at: BEGIN_AT }, stringValue1: { value: 'v1', at: BEGIN_AT } },
      })
    }
  })

  test('has the timestamp of a delivery without values', async () => {
    await stage.engine.configure(7, rulesWith())
    await deliver(7, { errorCode: 0, timestampAt: BEGIN_AT + 1_000 })
    expect((await deliver(7)).timestampAt).toBe(BEGIN_AT + 1_000)
    expect((await deliver(7, { timestampAt: BEGIN_AT - 1_000 })).timestampAt).toBe(BEGIN_AT - 1_000)
  })

  test('is refused where there is no job, for another collector, and for a stopped job', async () => {
    await stage.engine.configure(7, rulesWith({ collectorId: 9 }))
    await stage.engine.configure(8, rulesWith({ stopped: true }))
    const as = (userId: number, jobId: number) =>
      codeOf(stage.engine.deliver(jobId, deliveryWith(), { userId, anyJob: false }))
    expect(await as(9, 7)).toBeNull()
    expect(await as(8, 7)).toBe('forbidden')
    expect(await as(9, 8)).toBe('job_stopped')
    expect(await as(9, 1)).toBe('not_found')
    expect(await codeOf(stage.engine.buckets(1, { key: 'returnValue1', edges: [0, 1], mode: 'avg' }))).toBe(
      'not_found',
    )
    expect(await stage.engine.snapshot(1)).toBeNull()
  })
})

describe('one turn', () => {
  test('is one WAL row for all jobs; no sender is answered and no reader sees a value before it is stored', async () => {
    await Promise.all([1, 2].map((jobId) => stage.engine.configure(jobId, rulesWith())))
    const rows = await stage.count('journal')
    stage.byHand = true
    const answered: number[] = []
    const deliveries = [1, 2, 1, 2, 1].map((jobId, index) =>
      deliver(jobId, { values: { returnValue1: index } }).then(() => answered.push(index)),
    )
    await Bun.sleep(5)
    expect(answered).toEqual([])
    expect(await numbersOf(1)).toEqual([])
    expect((await stage.engine.snapshot(1))?.current).toEqual({})
    expect(await stage.count('journal')).toBe(rows)

    stage.endTurn()
    await Promise.all(deliveries)
    expect(answered).toEqual([0, 1, 2, 3, 4])
    expect(await stage.count('journal')).toBe(rows + 1)
    expect(await numbersOf(1)).toEqual([0, 2, 4])
  })

  test.each([
    [7, 1],
    [8, 2],
  ])(
    'of %i that wait begins after %i turns, so that others who were just answered share it',
    async (count, turns) => {
      await stage.engine.configure(1, rulesWith())
      const rows = await stage.count('journal')
      stage.byHand = true
      let answered = 0
      const take = () => deliver(1, { values: { returnValue1: 1 } }).then(() => answered++)
      const first = Array.from({ length: count }, take)
      for (let turn = 1; turn < turns; turn++) {
        stage.endTurn()
        first.push(take())
        await Bun.sleep(5)
        expect(answered).toBe(0)
      }
      stage.endTurn()
      await Promise.all(first)
      expect(await stage.count('journal')).toBe(rows + 1)
    },
  )

  test('that begins during a commit waits for it', async () => {
    await stage.engine.configure(1, rulesWith())
    stage.byHand = true
    const first = deliver(1, { values: { returnValue1: 1 } })
    stage.endTurn()
    const second = deliver(1, { values: { returnValue1: 2 } })
    await first
    const third = deliver(1, { values: { returnValue1: 3 } })
    while ((await numbersOf(1)).length < 3) {
      stage.endTurn()
      await Bun.sleep(1)
    }
    await Promise.all([second, third])
    expect(await numbersOf(1)).toEqual([1, 2, 3])
  })
})

describe('a failed commit', () => {
  test('refuses all deliveries that waited for it, stores none of them, and later deliveries succeed', async () => {
    await stage.engine.configure(1, rulesWith())
    await deliver(1, { values: { returnValue1: 1 }, errorCode: 0 })
    const before = await stage.engine.snapshot(1)
    stage.values.failAt = stage.values.commits + 1
    stage.now += 1_000
    const lost = [2, 3].map((value) => codeOf(deliver(1, { values: { returnValue1: value }, errorCode: 9 })))
    lost.push(codeOf(stage.engine.configure(2, rulesWith())))
    expect(await Promise.all(lost)).toEqual(['unavailable', 'unavailable', 'unavailable'])
    expect(await stage.engine.snapshot(1)).toEqual(before)
    expect(await stage.engine.snapshot(2)).toBeNull()
    expect(stage.engine.jobCount).toBe(1)
    expect(stage.told).toEqual([])
    expect(stage.errors).toHaveLength(1)

    expect(await deliver(1, { values: { returnValue1: 4 } })).toMatchObject({ errorCode: 0, state: 'ok' })
    expect(await numbersOf(1)).toEqual([1, 4])
    await stage.crash()
    expect(await numbersOf(1)).toEqual([1, 4])
    expect(stage.engine.jobCount).toBe(1)
  })

  test('also discards deliveries that were accepted after it began', async () => {
    await stage.engine.configure(1, rulesWith())
    stage.byHand = true
    stage.values.failAt = stage.values.commits + 1
    const first = codeOf(deliver(1, { errorCode: 3 }))
    stage.endTurn()
    const second = codeOf(deliver(1, { values: { returnValue1: 1 } }))
    expect(await Promise.all([first, second])).toEqual(['unavailable', 'unavailable'])
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0, current: {} })
  })

  test('restores a job that was being deleted', async () => {
    await stage.engine.configure(1, rulesWith())
    await deliver(1, { values: { returnValue1: 1 } })
    stage.values.failAt = stage.values.commits + 1
    expect(await codeOf(stage.engine.forget(1))).toBe('unavailable')
    expect(await numbersOf(1)).toEqual([1])
    await stage.engine.forget(1)
    expect(stage.engine.jobCount).toBe(0)
  })

  test('restores a job that was deleted and created again in the same turn', async () => {
    await stage.engine.configure(1, rulesWith({ revision: 5 }))
    stage.values.failAt = stage.values.commits + 1
    const lost = [stage.engine.forget(1), stage.engine.configure(1, rulesWith({ revision: 6 }))]
    expect(await Promise.all(lost.map(codeOf))).toEqual(['unavailable', 'unavailable'])
    expect(await stage.engine.snapshot(1)).toMatchObject({ revision: 5 })
  })

  test('leaves no trace of a job that was created and deleted in the same turn', async () => {
    stage.values.failAt = stage.values.commits + 1
    const lost = [stage.engine.configure(1, rulesWith()), stage.engine.forget(1)]
    expect(await Promise.all(lost.map(codeOf))).toEqual(['unavailable', 'unavailable'])
    expect(stage.engine.jobCount).toBe(0)
  })

  test('does not keep a wake-up busy while storage is away: it is rejected, and works once storage is back', async () => {
    await stage.engine.configure(1, rulesWith())
    stage.now += MINUTE_MS
    stage.values.isAway = true
    expect(await codeOf(stage.engine.wake())).toBe('unavailable')
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0 })
    // The delivery waits, so that the length of the outage is known.
    expect(stage.engine.nextAt).toBe(stage.now + 2_000)
    stage.values.isAway = false
    await stage.engine.wake()
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 0 })
    stage.now += 2_000
    await stage.engine.wake()
    expect(await stage.engine.snapshot(1)).toMatchObject({ errorCode: 5, sinceAt: BEGIN_AT + MINUTE_MS })
  })
})

describe('bounds', () => {
  test('past 50,000 waiting deliveries the next is refused, and taken again after the turn', async () => {
    await stage.engine.configure(1, rulesWith())
    stage.byHand = true
    const waiting = Array.from({ length: WAITING_ITEMS_MAX }, () =>
      deliver(1, { values: { returnValue1: 1 } }),
    )
    expect(await codeOf(deliver(1))).toBe('overloaded')
    stage.byHand = false
    stage.endTurn()
    await Promise.all(waiting)
    expect(stage.engine.unflushed.samples).toBe(WAITING_ITEMS_MAX + 1)
    expect(await codeOf(deliver(1))).toBeNull()
  }, 180_000)

  test('past 32 MiB of waiting deliveries the next is refused, and taken again once they are stored, in several commits', async () => {
    await stage.engine.configure(1, rulesWith())
    stage.byHand = true
    const text = 'x'.repeat(1024 * 1024)
    const waiting: Promise<unknown>[] = []
    for (let sizeBytes = 0; sizeBytes < WAITING_BYTES_MAX; sizeBytes += text.length) {
      waiting.push(deliver(1, { values: { stringValue1: text } }))
    }
    expect(await codeOf(deliver(1))).toBe('overloaded')
    const { commits } = stage.values
    stage.byHand = false
    stage.endTurn()
    await Promise.all(waiting)
    expect(stage.values.commits).toBe(commits + WAITING_BYTES_MAX / COMMIT_BYTES)
    expect(await codeOf(deliver(1))).toBeNull()
  }, 180_000)
})

describe('more bounds', () => {
  test('one job takes a burst of 100,000 deliveries and 5,000 a second after it; others are not held back', async () => {
    await stage.engine.configure(1, rulesWith())
    await stage.engine.configure(2, rulesWith())
    const taken = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => codeOf(deliver(1))))
      return answers.filter((code) => code === null).length
    }
    for (let sent = 0; sent < BURST_MAX; sent += 25_000) expect(await taken(25_000)).toBe(25_000)
    expect(await codeOf(deliver(1))).toBe('too_fast')
    expect(await codeOf(deliver(2))).toBeNull()
    stage.now += 1_000
    expect(await taken(5_010)).toBe(5_000)
    stage.now -= 3_600_000
    expect(await codeOf(deliver(1))).toBe('too_fast')
    stage.now += 1
    expect(await taken(10)).toBe(5)
  }, 180_000)

  test('past 64 MiB of unflushed WAL the next delivery is refused until a flush, also after a crash', async () => {
    await stage.engine.configure(1, rulesWith())
    const text = 'x'.repeat(1024 * 1024)
    while (stage.engine.unflushed.sizeBytes < UNFLUSHED_BYTES_MAX) {
      expect(await codeOf(deliver(1, { values: { stringValue1: text } }))).toBeNull()
    }
    expect(await codeOf(deliver(1))).toBe('overloaded')
    await stage.crash()
    expect(await codeOf(deliver(1))).toBe('overloaded')
    await stage.engine.flush()
    expect(stage.engine.unflushed.sizeBytes).toBe(0)
    expect(await codeOf(deliver(1))).toBeNull()
  }, 180_000)

  test('a turn of long deliveries is several rows of one commit, which no host finds too long', async () => {
    await stage.engine.configure(1, rulesWith())
    const { commits } = stage.values
    const rows = await stage.count('journal')
    const lengths = [200, 300, 100, 600, 1, 2]
    const deliveries = lengths.map((kilobytes, index) =>
      deliver(1, { values: { returnValue1: index, stringValue1: 'x'.repeat(kilobytes * 1024) } }),
    )
    await Promise.all(deliveries)
    expect(stage.values.commits).toBe(commits + 1)
    expect(await stage.count('journal')).toBe(rows + 4)
    for (const reopen of [() => Promise.resolve(), () => stage.crash()]) {
      await reopen()
      expect(await numbersOf(1)).toEqual([0, 1, 2, 3, 4, 5])
    }
    await stage.engine.flush()
    await deliver(1, { values: { returnValue1: 6 } })
    await stage.crash()
    expect(await numbersOf(1)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  test('while the disk is nearly full deliveries are refused, and flushes and deletions continue', async () => {
    for (const jobId of [1, 2]) await stage.engine.configure(jobId, rulesWith())
    await deliver(1, { values: { returnValue1: 1 } })
    stage.freeBytes = 2 * stage.engine.unflushed.sizeBytes - 1
    expect(await codeOf(deliver(1))).toBe('storage_full')
    await stage.engine.flush()
    await stage.engine.forget(2)
    await stage.engine.configure(1, rulesWith({ revision: 2 }))
    expect(await numbersOf(1)).toEqual([1])
    stage.freeBytes = 2 * stage.engine.unflushed.sizeBytes
    expect(await codeOf(deliver(1))).toBeNull()
  })
})

describe('forgetting', () => {
  test('removes the job with its segments, for good', async () => {
    for (const jobId of [1, 2]) {
      await stage.engine.configure(jobId, rulesWith())
      await deliver(jobId, { values: { returnValue1: jobId } })
    }
    await stage.engine.flush()
    await deliver(1, { values: { returnValue1: 11 } })
    await stage.engine.forget(1)
    expect(await codeOf(deliver(1))).toBe('not_found')
    await stage.engine.forget(1)
    for (const reopen of [() => Promise.resolve(), () => stage.crash()]) {
      await reopen()
      expect(stage.engine.jobCount).toBe(1)
      expect(await numbersOf(2)).toEqual([2])
      expect(await stage.count('segments where job_id = 1')).toBe(0)
      expect(await stage.count('actors where job_id = 1')).toBe(0)
    }
  })

  test('frees the disk space of its samples', async () => {
    await stage.engine.configure(1, rulesWith())
    await deliver(1, { values: { returnValue1: 1, returnValue2: 2 } })
    await stage.engine.forget(1)
    expect(stage.engine.unflushed.samples).toBe(0)
    await stage.crash()
    expect(stage.engine.unflushed.samples).toBe(0)
  })

  test('a job created with the same id begins empty, also after a crash, with or without an earlier flush', async () => {
    for (const flush of [false, true]) {
      await stage.engine.forget(1)
      await stage.engine.configure(1, rulesWith({ revision: 3 }))
      await deliver(1, { values: { returnValue1: 1 } })
      await stage.engine.forget(1)
      await stage.engine.configure(1, rulesWith())
      await deliver(1, { values: { returnValue1: 2 } })
      // The last commit of a flush is that which trims the journal: without it everything is still there.
      if (flush) {
        stage.values.failAt = stage.values.commits + 2
        expect(await stage.engine.flush().catch(() => 'failed')).toBe('failed')
      }
      await stage.crash()
      expect(await numbersOf(1)).toEqual([2])
      expect(await stage.engine.snapshot(1)).toMatchObject({ revision: 1 })
    }
  })

  test('fails without loss during a flush', async () => {
    for (const jobId of [1, 2]) {
      await stage.engine.configure(jobId, rulesWith())
      await deliver(jobId, { values: { returnValue1: jobId } })
    }
    stage.byHand = true
    const forgetting = codeOf(stage.engine.forget(1))
    const flush = stage.engine.flush()
    while ((await stage.count('actors')) < 2) await Bun.sleep(1)
    stage.values.failAt = stage.values.commits + 1
    stage.byHand = false
    stage.endTurn()
    expect(await forgetting).toBe('unavailable')
    await flush
    expect(await stage.count('journal')).toBe(0)
    expect(await numbersOf(1)).toEqual([1])
    await stage.crash()
    expect(await numbersOf(1)).toEqual([1])
    expect(await numbersOf(2)).toEqual([2])
  })
})

describe('the version of the database', () => {
  test.each([VALUES_VERSION - 1, VALUES_VERSION + 1])(
    'a database of version %i is refused',
    async (version) => {
      await stage.values.commit([
        { sql: `update meta set value = ? where key = 'version'`, cells: [version] },
      ])
      expect(String(await stage.crash().catch((error: unknown) => error))).toContain(`version ${version}`)
    },
  )

  test('the heartbeat is kept', async () => {
    expect(await stage.engine.lastHeartbeat()).toBeNull()
    await stage.engine.beat(BEGIN_AT)
    await stage.engine.beat(BEGIN_AT + 1)
    expect(await (await stage.crash()).lastHeartbeat()).toBe(BEGIN_AT + 1)
  })
})

async function codeOf(promise: Promise<unknown>): Promise<string | null> {
  try {
    await promise
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
