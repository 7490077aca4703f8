import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { LEASE_MS } from '../../src/automation/runs/protocol.ts'
import { rejection } from '../contract/rejection.ts'
import { must } from './fake-runner.ts'
import { openRunStage } from './stage.ts'

/** What is promised to who waits for the end of a run whose runner has died. */
const LOST_MAX_MS = 30_000

let stage: Awaited<ReturnType<typeof openRunStage>>
beforeEach(async () => {
  stage = await openRunStage()
})
afterEach(async () => {
  stage.dispatch.close()
  await stage.close()
})

/** Lets time pass as a host does: it settles whenever something is due. */
async function pass(ms: number): Promise<void> {
  const until = stage.clock.at + ms
  for (await stage.dispatch.runDue(); stage.dispatch.nextAt <= until; await stage.dispatch.runDue())
    stage.clock.at = Math.max(stage.clock.at, stage.dispatch.nextAt)
  stage.clock.at = until
}

/** Runs like one, as if they had been ordered before it. */
async function copies(id: string, count: number, state: 'succeeded' | 'queued'): Promise<void> {
  const { database } = stage.ports
  await database.run(sql`
    insert into runs (id, script_id, run_configuration_id, trigger, user_id, state, attempt, "order", retries,
      is_cancelled, log_sequence, log_lines, queued_at, finished_at)
    select 'j_0' || substr('0000000000000000000000000' || value, -25), script_id, run_configuration_id, trigger, user_id,
      ${state}, 1, "order", 0, 0, 0, 0, queued_at, ${state === 'queued' ? null : 0}
    from runs, (with recursive n(value) as (select 1 union all select value + 1 from n where value < ${count})
      select value from n)
    where id = ${id}`)
}

describe('a runner that is not heard of', () => {
  test('loses its job within 30 seconds of its last word, and not while it is heard of', async () => {
    const script = await stage.script()
    const { id } = await script.order()
    const held = await (await stage.runner()).next()
    await held.begin()
    for (let word = 0; word < 5; word++) {
      await pass(LEASE_MS - 1)
      await must(word % 2 === 0 ? held.say('POST', 'heartbeat') : held.log([]))
    }
    const lastWordAt = stage.clock.at
    await pass(LEASE_MS - 1)
    expect((await script.read(id)).state).toBe('running')
    await pass(1)
    const { state, finishedAt } = await script.read(id)
    expect(state).toBe('lost')
    expect(Date.parse(finishedAt ?? '') - lastWordAt).toBeLessThanOrEqual(LOST_MAX_MS)
    expect((await held.finish()).code).toBe('fenced')
    expect((await script.read(id)).state).toBe('lost')
  })

  test('is followed by another one as often as the configuration says, and no more', async () => {
    const script = await stage.script({ retries: 2 })
    const { id } = await script.order()
    for (let attempt = 1; attempt <= 3; attempt++) {
      const held = await (await stage.runner({ name: `runner ${attempt}` })).next()
      expect(held.assignment.attempt).toBe(attempt)
      await held.begin()
      await must(held.log([{ line: 1, at: 0, stream: 'stdout', text: 'x' }]))
      await pass(LEASE_MS)
      expect(await script.read(id)).toMatchObject(
        attempt < 3
          ? { state: 'queued', attempt: attempt + 1, log: { lines: 0 }, finishedAt: null }
          : { state: 'lost', attempt: 3, log: { lines: 1 } },
      )
    }
  })

  test('keeps nothing from anybody: what it had not begun is given to another one', async () => {
    const script = await stage.script()
    const { id } = await script.order()
    const silent = await (await stage.runner({ name: 'silent' })).next()
    await pass(LEASE_MS)
    const held = await (await stage.runner({ name: 'other' })).next()
    expect(held.assignment).toMatchObject({ id, attempt: 1 })
    expect((await silent.say('PUT', 'accept')).code).toBe('fenced')
    await held.begin()
  })
})

describe('a dispatch that is opened anew', () => {
  test('goes on with what there is: leases, queues and fences', async () => {
    const [one, two] = [await stage.script(), await stage.script()]
    const [first, second] = [await one.order(), await one.order()]
    const runner = await stage.runner()
    const held = await runner.next()
    await held.begin()
    stage.restart()
    await must(held.say('POST', 'heartbeat'))
    const other = await two.order()
    expect((await runner.poll(1, [first.id])).map(({ id }) => id)).toEqual([other.id])
    await must(held.finish())
    stage.restart()
    const given = await runner.poll(4, [other.id])
    expect(given.map(({ id }) => id)).toEqual([second.id])
    await pass(LEASE_MS)
    expect((await one.read(first.id)).state).toBe('succeeded')
    expect((await one.read(second.id)).state).toBe('queued')
  })

  test('settles what is due of others, and says when to come again', async () => {
    let [asked, dueAt] = [0, Infinity]
    const other = await openRunStage({
      runDue: (ports) => {
        asked++
        expect(ports.dispatch).toBeDefined()
        return Promise.resolve(dueAt)
      },
    })
    expect(other.dispatch.nextAt).toBe(0)
    await other.dispatch.runDue()
    expect([asked, other.dispatch.nextAt]).toEqual([1, Infinity])
    dueAt = other.clock.at + 5
    await other.dispatch.runDue()
    expect(other.dispatch.nextAt).toBe(dueAt)
    await other.close()
  })
})

test('a run whose secrets nobody can read any more fails, and stops nobody', async () => {
  const script = await stage.script({ envVariables: [{ key: 'TOKEN', value: 'x', secret: true }] })
  const { id } = await script.order()
  const { database } = stage.ports
  await database.run(
    sql`update run_configurations set secrets = json_set(secrets, '$.TOKEN', 'gone.aaaa.aaaa')`,
  )
  const other = await (await stage.script()).order()
  expect((await (await stage.runner()).next()).assignment.id).toBe(other.id)
  expect(await script.read(id)).toMatchObject({
    state: 'failed',
    error:
      'The value of the variable TOKEN cannot be decrypted: the installation key has changed or is missing. Enter it again.',
  })
  expect(String(await rejection(script.order()))).toContain('answered 409')
})

test('what nobody can take is in nobody’s way, however much of it there is', async () => {
  for (let count = 0; count < 52; count++) await (await stage.script({ runnerLabels: ['nowhere'] })).order()
  const script = await stage.script()
  const { id } = await script.order()
  const runner = await stage.runner()
  expect((await runner.next()).id).toBe(id)
  // Somebody else comes who can.
  const able = await stage.runner({ name: 'able', labels: ['nowhere'] })
  const given = await able.poll(64)
  expect(given).toHaveLength(52)
})

describe('the history of a script', () => {
  const count = async (where: string) => {
    const row: { total: number } = await stage.ports.database.get(
      sql.raw(`select count(*) as total from ${where}`),
    )
    return row.total
  }

  test('has the latest thousand that have ended, beside all that have not', async () => {
    const script = await stage.script()
    const held = await (async () => {
      await script.order()
      const begun = await (await stage.runner()).next()
      await begun.begin()
      return begun
    })()
    // As if these had been ordered before and had ended; each with a file that it left.
    await copies(held.id, 1_005, 'succeeded')
    await stage.ports.database.run(sql`
      insert into run_files select id, 'output', 'x', 'runs/' || id, 1, '', 'text/plain' from runs where state = 'succeeded'`)
    const orphaned = await count('orphaned_blobs')
    const next = await script.order()
    expect(await count(`runs where state = 'succeeded'`)).toBe(1_000)
    expect(await count('orphaned_blobs')).toBe(orphaned + 5)
    expect(await count(`runs where id < 'j_${'6'.padStart(26, '0')}'`)).toBe(0)
    await must(held.finish())
    expect(await count(`runs where state = 'succeeded'`)).toBe(1_000)
    expect([(await script.read(held.id)).state, (await script.read(next.id)).state]).toEqual([
      'succeeded',
      'queued',
    ])
    expect(await count('run_files')).toBe(999)
  })
})

test('as many wait of one configuration as may', async () => {
  const script = await stage.script()
  const { id } = await script.order()
  await copies(id, 998, 'queued')
  await script.order()
  expect(script.order()).rejects.toThrow('overloaded')
})
