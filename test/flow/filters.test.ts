import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { createJob, deleteJob, updateJob } from '../../src/monitoring/jobs/service.ts'
import { jobBody } from '../../src/monitoring/jobs/schema.ts'
import { copySlo } from '../../src/monitoring/slos/copy/service.ts'
import { CHILDREN_MAX, FILTERS_MAX, FOUND_MAX, sloBody } from '../../src/monitoring/slos/schema.ts'
import {
  createSlo,
  deleteSlo,
  readSlo,
  updateChildren,
  updateSlo,
} from '../../src/monitoring/slos/service.ts'
import { shownState } from '../../src/monitoring/states/propagation.ts'
import type { Push } from '../../src/monitoring/states/propagation.ts'
import { sloStateOf } from '../../src/monitoring/states/slo-state.ts'
import type { SloRules } from '../../src/monitoring/states/slo-state.ts'
import { STATES } from '../../src/domain/state.ts'
import { createDevice, deleteDevice, updateDevice } from '../../src/monitoring/tree/devices/service.ts'
import { createGroup, deleteGroup, updateGroup } from '../../src/monitoring/tree/groups/service.ts'
import { deviceBody, groupBody } from '../../src/monitoring/tree/schema.ts'
import { copyDevice } from '../../src/monitoring/tree/copy/service.ts'
import { searchGroup } from '../../src/monitoring/tree/search/service.ts'
import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/domain/state.ts'
import { plantTree } from '../api/large-tree.ts'
import { openPorts } from '../hosts/ports.ts'

const ROOT = 1
const TEAMS = ['red', 'blue']
const ROUNDS = 12
const ACTS = 30
const PROPERTY_MAX_MS = 120_000

type Stage = Awaited<ReturnType<typeof openStage>>

/** An installation whose actors take whatever they are told, and the administrator's way into it. */
async function openStage() {
  const stage = await openPorts()
  const done = () => Promise.resolve()
  const jobActors = {
    ...stage.ports.jobActors,
    configure: done,
    forget: done,
    snapshot: () => Promise.resolve(null),
  }
  const caller = { kind: 'user', userId: 1, username: 'a', role: 'administrator', sessionHash: null } as const
  const ports = { ...stage.ports, jobActors }
  const context: Context = { ports, caller, requestId: 'test' }
  return { ...stage, ports, context }
}

/** Chance that is the same in every run (Numerical Recipes' linear congruential generator). */
function chanceFrom(seed: number) {
  let last = seed
  const next = (max: number) => {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((last / 2 ** 32) * max)
  }
  const one = <Item>(list: readonly Item[]): Item | undefined => list[next(list.length)]
  return { next, one }
}

type Chance = ReturnType<typeof chanceFrom>
type Row = {
  readonly id: number
  readonly type: string
  readonly parent: number | null
  readonly path: string
}

const team = (chance: Chance) => [{ key: 'team', value: chance.one(TEAMS) ?? '' }]

function someFilter(chance: Chance, groups: readonly number[]) {
  const conditions = [
    { item: 'property', operator: 'eq', expression: chance.one(TEAMS) ?? '', propertyKey: 'team' },
    { item: 'name', operator: 'contains', expression: 'x' },
    { item: 'type', operator: 'eq', expression: 'slo' },
    { item: 'type', operator: 'ne', expression: 'slo' },
    { item: 'execution', operator: 'stopped' },
    { item: 'subtype', operator: 'eq', expression: 'router' },
    { item: 'job_device_name', operator: 'contains', expression: 'x' },
  ]
  return {
    groupId: chance.one(groups) ?? ROOT,
    filterDefinition: {
      mode: chance.one(['and', 'or']),
      conditions: conditions.filter(() => chance.next(4) === 0),
    },
  }
}

/** One change of any kind, of any object; what it does is the same for the same chance and tree. */
async function act({ context }: Stage, chance: Chance, rows: readonly Row[]): Promise<unknown> {
  const ids = (type: string) => rows.filter((row) => row.type === type).map(({ id }) => id)
  const [groups, devices, jobs, slos] = [ids('group'), ids('device'), ids('job'), ids('slo')]
  const inner = groups.filter((id) => id !== ROOT)
  const group = () => chance.one(groups) ?? ROOT
  const common = () => ({ name: chance.one(['x', 'y']) ?? '', properties: team(chance) })
  const deviceFields = () => deviceBody.parse({ ...common(), subType: chance.one(['server', 'router']) })
  const jobFields = () => jobBody.parse({ ...common(), stopped: chance.next(2) === 0 })
  const sloFields = () =>
    sloBody.parse({
      ...common(),
      pushState: chance.one(['any', 'none']),
      childrenFilter: chance.next(4) > 0 ? someFilter(chance, groups) : null,
    })
  const [device, job, slo, some] = [
    chance.one(devices),
    chance.one(jobs),
    chance.one(slos),
    chance.one(inner),
  ]
  const ifMatch = null
  const parentId = group()
  const acts: (() => unknown)[] = [
    () => createGroup(context, group(), groupBody.parse(common())),
    () => createDevice(context, group(), deviceFields()),
    () => device && createJob(context, device, jobFields()),
    () => createSlo(context, group(), sloFields()),
    () => some && updateGroup(context, some, { body: groupBody.parse({ ...common(), parentId }), ifMatch }),
    () => device && updateDevice(context, device, { body: { ...deviceFields(), parentId }, ifMatch }),
    () => job && device && updateJob(context, job, { body: { ...jobFields(), deviceId: device }, ifMatch }),
    () => slo && updateSlo(context, slo, { body: { ...sloFields(), parentId }, ifMatch }),
    () =>
      slo &&
      updateChildren(
        context,
        { type: 'slo', id: slo },
        {
          ifMatch: null,
          items: rows
            .filter(() => chance.next(8) === 0)
            .map(({ id }) => ({ id, weight: 2, stateOverrides: {} })),
          mode: chance.one(['replace', 'merge', 'remove'] as const) ?? 'merge',
        },
      ),
    () =>
      device &&
      copyDevice(context, device, {
        destinationName: 'x',
        destinationType: 'none',
        parentType: 'group',
        parentId,
        jobsStopped: false,
      }),
    () =>
      slo &&
      copySlo(context, slo, {
        destinationName: 'x',
        destinationType: 'none',
        parentType: 'slo',
        ...(chance.next(2) === 0 ? { parentId: chance.one(slos) } : {}),
      }),
    () => (chance.next(3) === 0 && some ? deleteGroup(context, some, true) : undefined),
    () => (device ? deleteDevice(context, device, true) : undefined),
    () => (job ? deleteJob(context, job) : undefined),
    () => (slo ? deleteSlo(context, slo) : undefined),
  ]
  return await acts[chance.next(acts.length)]?.()
}

const rowsOf = (database: Database) =>
  database.all<Row>(sql`select id, type, parent_id as parent, path from objects order by id`)

/** The counts that the filters of the tree must have, found by walking the whole tree. */
async function expectMembership({ context }: Stage): Promise<void> {
  const { database } = context.ports
  const rows = await rowsOf(database)
  const links = await database.all<{
    parent: number
    child: number
    weight: number
    filtered: number
    out: number
  }>(
    sql`select parent_id as parent, child_id as child, weight, by_filter as filtered, is_left_out as out from links`,
  )
  const linked = new Set(
    links.filter(({ filtered }) => !filtered).map(({ parent, child }) => `${parent} ${child}`),
  )
  const found: { parent: number; child: number }[] = []
  for (const { id } of rows.filter(({ type }) => type === 'slo')) {
    const filter = (await readSlo(context, id)).slo.childrenFilter
    if (!filter || !rows.some((row) => row.id === filter.groupId)) continue
    const filterDefinition = JSON.stringify(filter.filterDefinition)
    const { items } = await searchGroup(context, filter.groupId, { filterDefinition, limit: 10_000 })
    for (const item of items) if (!linked.has(`${id} ${item.id}`)) found.push({ parent: id, child: item.id })
  }
  const text = (list: readonly { parent: number; child: number }[]) =>
    list.map(({ parent, child }) => `${parent} ${child}`).sort()
  expect(text(links.filter(({ filtered }) => filtered))).toEqual(text(found))
  // Walked down from the child: does it lead to the parent?
  const below = new Map<number, number[]>()
  const edge = (parent: number, child: number) => below.set(parent, [...(below.get(parent) ?? []), child])
  for (const { id, parent } of rows) if (parent !== null) edge(parent, id)
  for (const { parent, child } of links) edge(parent, child)
  const leadsTo = (from: number, to: number) => {
    const seen = new Set([from])
    for (const at of seen) for (const child of below.get(at) ?? []) seen.add(child)
    return seen.has(to)
  }
  const circular = found.filter(({ parent, child }) => leadsTo(child, parent))
  expect(text(links.filter(({ out }) => out))).toEqual(text(circular))
  await expectTallies(database)
}

/** Every tally is what the children say, and every service level object is what its tally says. */
async function expectTallies(database: Database): Promise<void> {
  const slos = await database.all<{ id: number; rules: string; tally: string | null; state: State | null }>(
    sql`select slo.id as id, slo.rules as rules, s.tally as tally, s.state as state
      from slos slo left join states s on s.object_id = slo.id`,
  )
  for (const { id, rules, tally, state } of slos) {
    const children = await database.all<{ state: State; push: Push; weight: number }>(sql`
      select coalesce(s.state, 'undefined') as state, coalesce(slo.push_state, 'any') as push, l.weight as weight
      from links l left join states s on s.object_id = l.child_id left join slos slo on slo.id = l.child_id
      where l.parent_id = ${id} and not l.is_left_out`)
    const counted = STATES.map((one) =>
      children.reduce(
        (sum, child) => sum + (shownState(child.state, child.push, {}) === one ? child.weight : 0),
        0,
      ),
    )
    const kept = tally === null ? STATES.map(() => 0) : (JSON.parse(tally) as number[])
    expect([id, kept, state ?? 'undefined']).toEqual([
      id,
      counted,
      sloStateOf(JSON.parse(rules) as SloRules, counted),
    ])
  }
}

/** A refusal is an answer; so is the absence that a test makes. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal) && (error as Error).message !== 'away') throw error
  })
}

describe('the matches of filters', () => {
  test(
    'agree with a search of the whole tree without cycles, under any changes, also concurrent ones',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const stage = await openStage()
        const chance = chanceFrom(round)
        for (let at = 0; at < ACTS; at++) {
          const rows = await rowsOf(stage.ports.database)
          const together = Array.from({ length: 1 + chance.next(3) }, () =>
            unlessRefused(act(stage, chance, rows)),
          )
          await Promise.all(together)
        }
        await expectMembership(stage)
        await stage.close()
      }
    },
    PROPERTY_MAX_MS,
  )

  test(
    'agree again after the flow was interrupted at any commit',
    async () => {
      for (let round = 100; round < 110; round++) {
        const stage = await openStage()
        const chance = chanceFrom(round)
        const { database, clock, log } = stage.ports
        const failing = Object.assign(Object.create(database) as Database, {
          batch: (...writes: Parameters<Database['batch']>) =>
            chance.next(2) === 0 ? Promise.reject(new Error('away')) : database.batch(...writes),
        })
        const context = {
          ...stage.context,
          ports: { ...stage.ports, flow: openStatePipeline({ database: failing, clock, log }) },
        }
        for (let at = 0; at < ACTS; at++) {
          await unlessRefused(act({ ...stage, context }, chance, await rowsOf(database)))
        }
        await stage.ports.flow.runDue()
        await expectMembership(stage)
        await stage.close()
      }
    },
    PROPERTY_MAX_MS,
  )
})

describe('a tree of 100,000 jobs', () => {
  const SIZE = { groups: 100, devices: 2_000, jobs: 100_000 }
  const FIRST_JOB = SIZE.groups + SIZE.devices + 2
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    await plantTree(stage.ports.database, SIZE)
  }, 180_000)
  afterAll(() => stage.close())

  const filter = (...conditions: object[]) =>
    sloBody.parse({ name: 'found', childrenFilter: { filterDefinition: { conditions } } })
  const childrenOf = async (id: number) => (await readSlo(stage.context, id)).slo

  test(`the first ${FOUND_MAX} matches count, and the next one when there is room`, async () => {
    const { slo } = await createSlo(
      stage.context,
      ROOT,
      filter({ item: 'type', operator: 'eq', expression: 'job' }),
    )
    expect(slo.parameters.children).toBe(FOUND_MAX)
    expect(slo.childrenFilter?.isFull).toBe(true)
    const [last] = await stage.ports.database.all<{ id: number }>(
      sql`select l.child_id as id from links l join objects o on o.id = l.child_id
        where l.parent_id = ${slo.id} order by o.path limit 1`,
    )
    await deleteJob(stage.context, last?.id ?? 0)
    expect((await childrenOf(slo.id)).parameters.children).toBe(FOUND_MAX)
    await deleteSlo(stage.context, slo.id)
  })

  test(`a filter with exactly ${FOUND_MAX} matches is not full`, async () => {
    const conditions = [
      { item: 'type', operator: 'eq', expression: 'job' },
      { item: 'id', operator: 'lt', expression: String(FIRST_JOB + 200 + FOUND_MAX) },
      { item: 'id', operator: 'ge', expression: String(FIRST_JOB + 200) },
    ]
    const { slo } = await createSlo(stage.context, ROOT, filter(...conditions))
    expect([slo.parameters.children, slo.childrenFilter?.isFull]).toEqual([FOUND_MAX, false])
    await deleteSlo(stage.context, slo.id)
  })

  test(`an object has at most ${CHILDREN_MAX} links, by any request, also by copies`, async () => {
    const { context } = stage
    const { slo } = await createSlo(context, ROOT, sloBody.parse({ name: 'crowd' }))
    const template = await createSlo(context, ROOT, sloBody.parse({ name: 'template', isTemplate: true }))
    const jobs = Array.from({ length: CHILDREN_MAX }, (_, index) => FIRST_JOB + 300 + index)
    const merge = (...ids: readonly number[]) =>
      updateChildren(
        context,
        { type: 'slo', id: slo.id },
        {
          ifMatch: null,
          items: ids.map((id) => ({ id, weight: 1, stateOverrides: {} })),
          mode: 'merge',
        },
      )
    const copied = () =>
      copySlo(context, template.slo.id, {
        destinationName: 'x',
        destinationType: 'instance',
        parentType: 'slo',
        parentId: slo.id,
      })
    const pointer = (refused: Promise<unknown>) =>
      refused.then(String, ({ errors }: Refusal) => errors[0]?.pointer)
    await merge(...jobs.slice(2))
    await copied()
    await merge(...jobs.slice(1, 3))
    expect(await pointer(merge(...jobs.slice(0, 1)))).toBe('/items')
    expect(await pointer(copied())).toBe('?parentId')
    expect((await childrenOf(slo.id)).parameters.children).toBe(CHILDREN_MAX)
    await deleteSlo(context, slo.id)
  })

  test('an object that is moved and shows its parents another state at the same time counts once', async () => {
    const { context } = stage
    const [below, above] = [
      await createSlo(context, ROOT, sloBody.parse({ name: 'below' })),
      await createSlo(context, ROOT, sloBody.parse({ name: 'above' })),
    ]
    const link = (parent: number, id: number) =>
      updateChildren(
        context,
        { type: 'slo', id: parent },
        { items: [{ id, weight: 1, stateOverrides: {} }], mode: 'replace', ifMatch: null },
      )
    await link(below.slo.id, FIRST_JOB + 1)
    await link(above.slo.id, below.slo.id)
    expect((await childrenOf(above.slo.id)).currentState).toBe('ok')
    const body = sloBody.parse({ name: 'below', pushState: 'none', parentId: 2 })
    await updateSlo(context, below.slo.id, { body, ifMatch: null })
    expect((await childrenOf(above.slo.id)).currentState).toBe('undefined')
  })

  test(`there are at most ${FILTERS_MAX} filters, and each change is checked alone`, async () => {
    const { database, flow } = stage.ports
    // No index knows how names end.
    const body = filter({ item: 'name', operator: 'ends_with', expression: 'zz' })
    const { slo } = await createSlo(stage.context, ROOT, body)
    const number = sql.raw(String(FILTERS_MAX - 1))
    await database.run(sql`
      insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
        collector_id, version, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${number})
      select ${slo.id} + i, 'slo', 'standard', 'x', 'x', 1, '/1/' || (${slo.id} + i) || '/', 0, 'none', 0, 1, 0 from n`)
    await database.run(sql`
      insert into slos select o.id, device_id, state_operation, push_state, sort_mode, rules, is_reason, costs_per_min,
        currency, risk_factor, children_filter, is_full from slos s join objects o on o.id > s.id where s.id = ${slo.id}`)
    const refused = createSlo(stage.context, ROOT, body)
    expect(await refused.then(String, ({ errors }: Refusal) => errors[0]?.pointer)).toBe('/childrenFilter')
    const looking = await cpuMsOf(() => updateSlo(stage.context, slo.id, { body, ifMatch: null }))
    const copied = copySlo(stage.context, slo.id, {
      destinationName: 'x',
      destinationType: 'none',
      parentType: 'slo',
    })
    expect(await copied.then(String, ({ code }: Refusal) => code)).toBe('invalid')
    await flow.runDue()

    const device = deviceBody.parse({ name: 'Device 7 zz' })
    const changing = await cpuMsOf(() =>
      updateDevice(stage.context, SIZE.groups + 2 + 7, { body: device, ifMatch: null }),
    )
    expect((await childrenOf(slo.id + FILTERS_MAX - 1)).parameters.children).toBe(1)
    // Were each to look at everything, it would be 500 times as much.
    expect(changing).toBeLessThan(50 * looking)
  })
})

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1_000
}
