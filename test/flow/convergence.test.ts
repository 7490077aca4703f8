import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { openStatePipeline } from '../../src/state-pipeline.ts'
import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { State } from '../../src/domain/state.ts'
import type { Transition } from '../../src/domain/transition.ts'
import { crossing } from './transition.ts'
import { openPorts } from '../hosts/ports.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { plantObject } from './plants.ts'
import { EVERY_ROW } from '../api/suite.ts'

/** A group with two devices of three jobs each; service level objects over jobs, over each other, and over the group. */
const [GROUP, LEFT, RIGHT] = [2, 3, 4]
const JOBS = [10, 11, 12, 13, 14, 15]
const [SOME, BEST, ALL] = [20, 21, 22]
const LINKS = [
  [SOME, 10],
  [SOME, 11],
  [SOME, 14],
  [BEST, SOME],
  [BEST, RIGHT],
  [ALL, GROUP],
  [ALL, BEST],
] as const
const STATES = ['ok', 'minor', 'major'] as const satisfies readonly State[]
const COUNTERS = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }
const TOLD_MAX = 12
const OPEN_MAX_MS = 60_000
const GONE = 'gone'

type Opened = { readonly ports: Ports; readonly database: Database; close(): Promise<void> }

async function openOnFile(): Promise<Opened> {
  const stage = await openPorts()
  return { ports: stage.ports, database: stage.ports.database, close: () => stage.close() }
}

async function openOnD1(): Promise<Opened> {
  const [stage, d1] = await Promise.all([openPorts(), startD1()])
  return {
    ports: stage.ports,
    database: d1.database,
    close: async () => {
      await stage.close()
      await d1.close()
    },
  }
}

/** D1 by `npm run test:edge`: of both databases a batch is kept whole or not at all, which their contract tests. */
const DATABASES = [['libSQL', openOnFile, 30], ...(EVERY_ROW ? [['D1', openOnD1, 8] as const] : [])] as const

describe.each(DATABASES)('what children tell on %s', (_, open, rounds) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    await plant(opened.database)
  }, OPEN_MAX_MS)
  afterAll(() => opened.close())

  test('has the same result in any order, with repetitions, and with processes that are killed in between', async () => {
    const { ports, database } = opened
    const told = new Map(JOBS.map((id): [number, Transition[]] => [id, []]))
    let kills = 0
    for (let round = 0; round < rounds; round++) {
      for (const [id, all] of told) extend(id, all)
      kills += await tellAll({ ...ports, database }, told)
      expect(await statesOf(database)).toEqual(expected(told))
    }
    expect(kills).toBeGreaterThan(rounds)
    for (const [id, all] of told) {
      const kept = await database.all<{ seq: number; at: number; to: State }>(
        sql`select seq, at, to_state as "to" from transitions where object_id = ${id} order by seq`,
      )
      expect(kept).toEqual(all.map(({ seq, at, to }) => ({ seq, at, to })))
    }
  }, 180_000)
})

async function plant(database: Database): Promise<void> {
  await plantObject(database, { id: GROUP, type: 'group', path: '/1/2/' })
  for (const [place, device] of [LEFT, RIGHT].entries()) {
    await plantObject(database, { id: device, type: 'device', path: `/1/2/${device}/` })
    for (const job of JOBS.slice(place * 3, place * 3 + 3))
      await plantObject(database, { id: job, type: 'job', path: `/1/2/${device}/${job}/` })
  }
  for (const [id, operation, counters] of [
    [SOME, 'count', { ...COUNTERS, minor: 1, major: 2 }],
    [BEST, 'or', COUNTERS],
    [ALL, 'and', COUNTERS],
  ] as const) {
    await plantObject(database, { id, type: 'slo', path: `/1/${id}/` })
    const rules = JSON.stringify({ operation, counters, ignoreMaintenance: false })
    await database.run(sql`insert into slos (id, device_id, state_operation, push_state, sort_mode, rules, is_reason,
      costs_per_min, currency, risk_factor) values (${id}, 0, ${operation}, 'any', 'link', ${rules}, 0, 0, '', 1)`)
  }
  for (const [parent, child] of LINKS)
    await database.run(sql`insert into links (parent_id, child_id, position, weight, overrides)
      values (${parent}, ${child}, ${child}, 1, '{}')`)
  await database.run(sql`insert into stale_tallies select id, 1 from objects where type <> 'job'`)
}

/** A job changes some more times. */
function extend(objectId: number, all: Transition[]): void {
  for (let count = 1 + next(TOLD_MAX); count > 0; count--) {
    const last = all.at(-1)
    const from = last?.to ?? 'ok'
    const at = (last?.at ?? Date.UTC(2026, 2, 1)) + 1 + next(60_000)
    const to = STATES.filter((state) => state !== from)[next(2)] ?? 'ok'
    all.push(crossing(objectId, { seq: all.length + 1, at, from, to }))
  }
}

/** Tells everything until all of it has been heard: some jobs at a time, from what each does not know to be stored. @returns
 * how often the flow was killed meanwhile */
async function tellAll(ports: Ports, told: ReadonlyMap<number, readonly Transition[]>): Promise<number> {
  let isDying = true
  const mortal = mortalOf(ports.database, () => isDying && next(3) === 0)
  let flow: OpenStatePipeline = openStatePipeline({ ...ports, database: mortal })
  const heard = new Map(JOBS.map((id) => [id, 0]))
  const isLeft = () => JOBS.filter((id) => (heard.get(id) ?? 0) < (told.get(id)?.length ?? 0))
  let kills = 0
  for (let tries = 0; isLeft().length > 0; tries++) {
    isDying = tries < 200
    const some = isLeft().filter(() => next(2) === 0)
    const calls = some.map(async (id) => {
      const all = told.get(id) ?? []
      const known = heard.get(id) ?? 0
      const until = known + 1 + next(all.length - known)
      // From somewhere before: whoever was not answered tells again.
      await flow.apply(all.slice(next(known + 1), until))
      heard.set(id, Math.max(heard.get(id) ?? 0, until))
    })
    const results = await Promise.allSettled(calls)
    if (results.every(({ status }) => status === 'fulfilled')) continue
    for (const result of results)
      if (result.status === 'rejected') expect(String(result.reason)).toContain(GONE)
    kills++
    flow = openStatePipeline({ ...ports, database: mortal })
  }
  isDying = false
  await flow.runDue()
  return kills
}

/** A database that dies before a commit or right after it. */
function mortalOf(database: Database, dies: () => boolean): Database {
  return Object.assign(Object.create(database) as Database, {
    async batch(items: Parameters<Database['batch']>[0]) {
      if (dies()) throw new Error(GONE)
      const result = await database.batch(items)
      if (dies()) throw new Error(GONE)
      return result
    },
  })
}

async function statesOf(database: Database): Promise<Record<number, State>> {
  const rows = await database.all<{ id: number; state: State }>(
    sql`select object_id as id, state from states where object_id in (2, 3, 4, 20, 21, 22)`,
  )
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
}

/** By hand: what the last change of each job makes of everything above. */
function expected(told: ReadonlyMap<number, readonly Transition[]>): Record<number, State> {
  const badness = (state: State) => STATES.indexOf(state as (typeof STATES)[number])
  const job = (id: number) => told.get(id)?.at(-1)?.to ?? 'ok'
  const worst = (states: readonly State[]) => STATES[Math.max(...states.map(badness))] ?? 'ok'
  const best = (states: readonly State[]) => STATES[Math.min(...states.map(badness))] ?? 'ok'
  const [left, right] = [worst(JOBS.slice(0, 3).map(job)), worst(JOBS.slice(3).map(job))]
  const down = [10, 11, 14].filter((id) => job(id) === 'major').length
  const some = STATES[Math.min(down, 2)] ?? 'ok'
  const one = best([some, right])
  const group = worst([left, right])
  return {
    [GROUP]: group,
    [LEFT]: left,
    [RIGHT]: right,
    [SOME]: some,
    [BEST]: one,
    [ALL]: worst([group, one]),
  }
}

/** The same numbers in every run (Numerical Recipes' linear congruential generator). */
let chance = 11
function next(max: number): number {
  chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((chance / 2 ** 32) * max)
}
