import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openStatePipeline } from '../../src/state-pipeline.ts'
import { readNodes } from '../../src/monitoring/states/store.ts'
import { STATES } from '../../src/domain/state.ts'
import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/domain/state.ts'
import { crossing } from './transition.ts'
import { openLargeStage, SIZE } from './large-stage.ts'

const FIRST_JOB = SIZE.groups + SIZE.devices + 2
const PLANT_MAX_MS = 60_000

let stage: Awaited<ReturnType<typeof openLargeStage>>
let seq = 1

beforeAll(async () => {
  stage = await openLargeStage()
}, PLANT_MAX_MS)
afterAll(() => stage.close())

const transition = (objectId: number, to: State) => crossing(objectId, { seq: ++seq, at: stage.clock.at, to })

describe('a tree of 100,000 jobs', () => {
  test('is counted once, from below', async () => {
    const [, , root] = await readNodes(stage.ports.database, [1, 2, FIRST_JOB])
    expect(await driftOf(stage.ports.database)).toEqual([])
    expect(root?.seq).toBe(1)
  })

  test('a change reads and writes the object and the objects above it only', async () => {
    const { database, flow } = stage.ports
    const before = await transitionsIn(database)
    expect(await readNodes(database, [FIRST_JOB + 1])).toHaveLength(4)
    await flow.apply([transition(FIRST_JOB + 1, 'minor')])
    expect((await transitionsIn(database)) - before).toBeLessThanOrEqual(4)
    expect(await driftOf(database)).toEqual([])
  })

  test('states and tallies agree with a full count after thousands of changes in any order', async () => {
    const { database, flow } = stage.ports
    const told: Promise<void>[] = []
    for (let round = 0; round < 40; round++) {
      const some = Array.from({ length: 50 }, () => transition(anyJob(), anyState()))
      // Told twice, as an actor does that did not hear the answer; and beside others.
      told.push(flow.apply(some), flow.apply(some))
    }
    await Promise.all(told)
    expect(await driftOf(database)).toEqual([])
  })

  test('a group of 1,000 jobs enters and leaves maintenance without reading other objects', async () => {
    const { ports, clock } = stage
    const { database, flow } = ports
    const total = async (what: ReturnType<typeof sql>) =>
      (await database.all<{ total: number }>(sql`select count(*) as total from ${what}`))[0]?.total ?? 0
    const inside = await total(sql`objects where path >= '/1/2/' and path < '/1/2/~'`)
    expect(inside).toBeGreaterThan(1_000)
    await database.run(sql`
      insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant, active, in_past,
        edit_only, running, next_at, version, created_at, created_by)
      values (2, 'maintenance', 'undefined', ${clock.at}, ${clock.at + 1_000}, '', 0, '[]', 0, 0, 0, ${clock.at}, 1, 1, 1)`)
    const before = await transitionsIn(database)
    await flow.runDue()
    expect(await total(sql`states where maintained = 1`)).toBe(inside)
    clock.at += 1_000
    await flow.runDue()
    expect(await total(sql`states where maintained = 1`)).toBe(0)
    // Only the devices and the group change twice on the way, of whose children some are first.
    expect((await transitionsIn(database)) - before).toBeLessThan(2 * inside + 200)
    expect(await driftOf(database)).toEqual([])
  })

  test('control: two concurrent flows lose updates, so one place per installation is needed', async () => {
    const { ports } = stage
    const flows = [openStatePipeline(ports), openStatePipeline(ports)]
    for (let round = 0; round < 20; round++) {
      // Jobs of one device, whose tally both flows read before either writes.
      const [left, right] = [FIRST_JOB + 7, FIRST_JOB + 7 + SIZE.devices].map((job) =>
        transition(job, anyState()),
      )
      await Promise.all([flows[0]?.apply(left ? [left] : []), flows[1]?.apply(right ? [right] : [])])
    }
    expect(await driftOf(ports.database)).not.toEqual([])
  })
})

test('a failed write is reported to its caller, and nothing of it is stored', async () => {
  const { database, clock, log } = stage.ports
  const broken = Object.assign(Object.create(database) as Database, {
    batch: () => Promise.reject(new Error('away')),
  })
  const flow = openStatePipeline({ database: broken, clock, log })
  const told = transition(FIRST_JOB + 9, 'warning')
  const outcome = await flow.apply([told]).then(
    () => 'stored',
    (error: unknown) => (error as Error).message,
  )
  expect(outcome).toBe('away')
  const before = (await readNodes(database, [told.objectId])).find(({ id }) => id === told.objectId)
  expect(before?.heard?.seq).toBeLessThan(told.seq)
  await stage.ports.flow.apply([told])
  const after = (await readNodes(database, [told.objectId])).find(({ id }) => id === told.objectId)
  expect(after).toMatchObject({ heard: { seq: told.seq }, state: 'warning' })
})

/** Parents whose tally is not what their children are. */
async function driftOf(database: Database): Promise<unknown[]> {
  const rows = await database.all<{ parent: number; state: State; total: number; tally: string }>(sql`
    select o.parent_id as parent, coalesce(s.state, 'undefined') as state, count(*) as total, p.tally as tally
    from objects o left join states s on s.object_id = o.id join states p on p.object_id = o.parent_id
    group by 1, 2`)
  return rows.filter(
    ({ state, total, tally }) => (JSON.parse(tally) as number[])[STATES.indexOf(state)] !== total,
  )
}

/** Every transition that there is. */
async function transitionsIn(database: Database): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`select count(*) as total from transitions`)
  return row?.total ?? 0
}

/** The same numbers in every run (Numerical Recipes' linear congruential generator). */
let chance = 1
function next(max: number): number {
  chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((chance / 2 ** 32) * max)
}

function anyJob(): number {
  return FIRST_JOB + next(SIZE.jobs)
}

function anyState(): State {
  return STATES[next(STATES.length)] ?? 'ok'
}
