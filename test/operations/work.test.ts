import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { untilAborted } from '../../src/lib/abort.ts'
import { Refusal } from '../../src/lib/errors.ts'
import {
  ACTIVE_MAX,
  cancelOperation,
  openResult,
  readOperation,
  RESULT_KEPT_MS,
  RESULT_MAX_BYTES,
  runWork,
  sweepOperations,
} from '../../src/operations/work/service.ts'
import type { Work } from '../../src/operations/work/service.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { rejection as refusalOf } from '../contract/rejection.ts'
import { readUntil } from '../until.ts'

type Opened = Awaited<ReturnType<typeof openPorts>>

let opened: Opened
let context: ReturnType<typeof administratorOf>
/** Ends the work that a test has left. */
let endings: (() => void)[] = []

beforeAll(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
})
beforeEach(async () => {
  for (const end of endings) end()
  endings = []
  await Bun.sleep(5)
})
afterAll(() => opened.close())

const about = { kind: 'test', subject: '/tests/1' }

/** Work that goes on until the test ends it. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const signals: AbortSignal[] = []
  endings.push(() => resolve(null))
  const task = (work: Work) => {
    work.begin()
    signals.push(work.signal)
    return untilAborted(promise, work.signal)
  }
  return { task, resolve, reject, signals }
}

async function started(task: (work: Work) => Promise<unknown>, waitMs = 0): Promise<string> {
  const outcome = await runWork(context, { ...about, waitMs }, task)
  if (outcome.isDone) throw new Error('The work was done within its wait.')
  return outcome.operation.id
}

const untilIn = (id: string, state: string) =>
  readUntil(
    () => readOperation(context, id),
    (operation) => operation.state === state,
  )

const resultOf = async (id: string) => new Response((await openResult(context, id)).body).json()

describe('work', () => {
  test('that ends within its wait leaves no operation, and its failure is thrown', async () => {
    const count = async () => (await opened.ports.database.all('select id from operations')).length
    const before = await count()
    const done = await runWork(context, { ...about, waitMs: 5_000 }, async () => ({ rows: 3 }))
    expect(done).toEqual({ isDone: true, result: { rows: 3 } })
    expect(await runWork(context, { ...about, waitMs: null }, async () => 1)).toEqual({
      isDone: true,
      result: 1,
    })
    const failing = runWork(context, { ...about, waitMs: 5_000 }, () =>
      Promise.reject(new Refusal('not_found', 'Nothing there.')),
    )
    expect(await refusalOf(failing)).toMatchObject({ code: 'not_found' })
    expect(await count()).toBe(before)
  })

  test('becomes an operation past its wait, tells its progress, and leaves its result', async () => {
    const { task, resolve } = held()
    const reporting = async (work: Work) => {
      work.progress(0.25)
      return task(work)
    }
    const id = await started(reporting, 20)
    expect(id).toMatch(/^op_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(await readOperation(context, id)).toMatchObject({
      ...about,
      state: 'running',
      progress: 0.25,
      startedAt: '2026-03-02T10:00:00+01:00',
      endedAt: null,
      retryAfter: 'PT1S',
      resultUrl: null,
      error: null,
    })
    expect(await refusalOf(openResult(context, id))).toMatchObject({ code: 'not_found' })
    resolve({ rows: 7 })
    expect(await untilIn(id, 'succeeded')).toMatchObject({
      state: 'succeeded',
      progress: 1,
      endedAt: '2026-03-02T10:00:00+01:00',
      retryAfter: null,
      resultUrl: `/operations/${id}/result`,
    })
    expect(await resultOf(id)).toEqual({ rows: 7 })
  })

  test('is queued until it has its turn', async () => {
    const turn = Promise.withResolvers<void>()
    const { task } = held()
    const id = await started(async (work) => {
      await turn.promise
      return task(work)
    })
    expect(await readOperation(context, id)).toMatchObject({ state: 'queued', startedAt: null })
    turn.resolve()
    expect(await untilIn(id, 'running')).toMatchObject({ state: 'running' })
  })

  test('is cancelled at once, any number of times, and on record', async () => {
    const { task, signals } = held()
    const id = await started(task)
    await untilIn(id, 'running')
    const beganAt = performance.now()
    await cancelOperation(context, id)
    expect(await readOperation(context, id)).toMatchObject({ state: 'running', cancelRequested: true })
    expect(await untilIn(id, 'cancelled')).toMatchObject({
      state: 'cancelled',
      error: null,
      retryAfter: null,
    })
    expect(performance.now() - beganAt).toBeLessThan(20_000)
    expect(signals[0]?.aborted).toBe(true)
    await cancelOperation(context, id)
    expect(await readOperation(context, id)).toMatchObject({ state: 'cancelled' })
    const entries = await opened.ports.database.all(
      `select id from audit where object_type = 'operation' and action = 'cancel'`,
    )
    expect(entries).toHaveLength(2)
  })

  test('fails with the refusal of its task; of another error the log alone knows more', async () => {
    const { task, reject } = held()
    const id = await started(task)
    reject(new Refusal('invalid', 'The body is invalid; see errors.', [{ pointer: '/a', message: 'is bad' }]))
    expect(await untilIn(id, 'failed')).toMatchObject({
      error: {
        code: 'invalid',
        detail: 'The body is invalid; see errors.',
        errors: [{ pointer: '/a', message: 'is bad' }],
      },
    })
    const broken = await started(() => Promise.reject(new Error('a canary of the inside')))
    const failed = await untilIn(broken, 'failed')
    expect(failed).toMatchObject({ error: { code: 'internal' }, resultUrl: null })
    expect(JSON.stringify(failed)).not.toContain('canary')
    expect(opened.logs.join('\n')).toContain('canary')
  })

  test('is lost when its lease runs out, ends, and stays lost', async () => {
    const { task, signals, resolve } = held()
    const id = await started(task)
    await untilIn(id, 'running')
    opened.clock.at += 30_000
    expect(await readOperation(context, id)).toMatchObject({
      state: 'failed',
      error: { code: 'operation_lost' },
    })
    for (let tried = 0; tried < 300 && signals[0]?.aborted === false; tried++) await Bun.sleep(10)
    expect(signals[0]?.aborted).toBe(true)
    resolve({ rows: 1 })
    await Bun.sleep(50)
    expect(await readOperation(context, id)).toMatchObject({
      state: 'failed',
      error: { code: 'operation_lost' },
      resultUrl: null,
    })
  })

  test('goes on as long as its lease is renewed', async () => {
    const { task, resolve } = held()
    const id = await started(task)
    for (let step = 0; step < 3; step++) {
      opened.clock.at += 20_000
      await Bun.sleep(1_100)
    }
    expect(await readOperation(context, id)).toMatchObject({ state: 'running', retryAfter: 'PT6S' })
    resolve(1)
    expect(await untilIn(id, 'succeeded')).toMatchObject({ state: 'succeeded' })
  })

  test('goes on while the database is unavailable for less than its lease', async () => {
    let failures = 0
    const database = new Proxy(opened.ports.database, {
      get(target, name): unknown {
        if (name === 'select' && failures < 1) throw new Error(`The database is away: ${++failures}`)
        const found: unknown = Reflect.get(target, name)
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    const { task, resolve, signals } = held()
    const away = { ...context, ports: { ...opened.ports, database } }
    const outcome = await runWork(away, { ...about, waitMs: 0 }, task)
    const id = outcome.isDone ? '' : outcome.operation.id
    await readUntil(
      () => Promise.resolve(failures),
      (count) => count === 1,
    )
    await untilIn(id, 'running')
    expect(signals[0]?.aborted).toBe(false)
    resolve('done')
    await untilIn(id, 'succeeded')
    expect(await resultOf(id)).toBe('done')
  })

  test('fails by the error of its work while its row cannot be read', async () => {
    const database = new Proxy(opened.ports.database, {
      get(target, name): unknown {
        if (name === 'select') throw new Error('The database is away.')
        const found: unknown = Reflect.get(target, name)
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    const away = { ...context, ports: { ...opened.ports, database } }
    const outcome = await runWork(away, { ...about, waitMs: 0 }, () =>
      Promise.reject(new Refusal('conflict', 'The table is locked.')),
    )
    const id = outcome.isDone ? '' : outcome.operation.id
    expect(await untilIn(id, 'failed')).toMatchObject({
      error: { code: 'conflict', detail: 'The table is locked.' },
    })
    expect(opened.logs.join('\n')).toContain('The database is away.')
  })

  test('is to be read again after 1 to 10 seconds, later the longer it goes on', async () => {
    const id = await started(held().task)
    const { clock } = opened
    const beganAt = clock.at
    const asked: unknown[] = []
    for (const seconds of [0, 14.9, 15, 94.9, 95, 600]) {
      clock.at = beganAt + seconds * 1_000
      await opened.ports.database.run(
        `update operations set lease_until_at = ${clock.at + 60_000} where id = '${id}'`,
      )
      asked.push((await readOperation(context, id)).retryAfter)
    }
    clock.at = beganAt
    expect(asked).toEqual(['PT1S', 'PT1S', 'PT2S', 'PT9S', 'PT10S', 'PT10S'])
  })

  test('and its result are of its user alone', async () => {
    const id = await started(async () => 'mine')
    await untilIn(id, 'succeeded')
    const { caller } = context
    const other = { ...context, caller: { ...caller, userId: 2 } as typeof caller }
    for (const act of [readOperation, openResult, cancelOperation])
      expect(await refusalOf(act(other, id))).toMatchObject({ code: 'not_found' })
    expect(await resultOf(id)).toBe('mine')
  })

  test('and its result are deleted after an hour, and not before', async () => {
    const id = await started(async () => 'soon gone')
    await untilIn(id, 'succeeded')
    opened.clock.at += RESULT_KEPT_MS - 1
    await sweepOperations(opened.ports)
    expect(await resultOf(id)).toBe('soon gone')
    opened.clock.at += 1
    await sweepOperations(opened.ports)
    expect(await refusalOf(readOperation(context, id))).toMatchObject({ code: 'not_found' })
    expect(await opened.ports.blobs.list('operations/')).not.toContain(`operations/${id}`)
  })

  test('has a result of so many bytes at most', async () => {
    const largest = await started(async () => 'x'.repeat(RESULT_MAX_BYTES - 2))
    const larger = await started(async () => 'x'.repeat(RESULT_MAX_BYTES - 1))
    expect(await untilIn(largest, 'succeeded')).toMatchObject({ state: 'succeeded' })
    expect(await untilIn(larger, 'failed')).toMatchObject({ state: 'failed', error: { code: 'too_large' } })
  })

  test('is refused beyond so many operations of a user, without being begun', async () => {
    const { task, signals } = held()
    const ids: string[] = []
    for (let count = 0; count < ACTIVE_MAX; count++) ids.push(await started(task))
    const begun = signals.length
    expect(await refusalOf(started(task))).toMatchObject({ code: 'overloaded' })
    expect(signals.length).toBe(begun)
    const late = held()
    expect(await refusalOf(started(late.task, 10))).toMatchObject({ code: 'overloaded' })
    expect(late.signals[0]?.aborted).toBe(true)
    await cancelOperation(context, ids[0] ?? '')
    await untilIn(ids[0] ?? '', 'cancelled')
    expect(await started(task)).toMatch(/^op_/)
  })
})
