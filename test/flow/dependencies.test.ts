import { afterAll, beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { DEPENDENTS_SHOWN_MAX } from '../../src/monitoring/dependencies/schema.ts'
import { readDependencies, updateDependencies } from '../../src/monitoring/dependencies/service.ts'
import { sloBody } from '../../src/monitoring/slos/schema.ts'
import { createSlo, updateChildren } from '../../src/monitoring/slos/service.ts'
import { createGroup } from '../../src/monitoring/tree/groups/service.ts'
import { groupBody } from '../../src/monitoring/tree/schema.ts'
import { openPorts } from '../hosts/ports.ts'

const ROUNDS = 60
const caller = { kind: 'user', userId: 1, username: 'a', role: 'administrator', sessionHash: null } as const

let stage: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeAll(async () => {
  stage = await openPorts()
  context = { ports: stage.ports, caller, requestId: 'test' }
})
afterAll(() => stage.close())

/** The same numbers in every run (Numerical Recipes' linear congruential generator). */
let chance = 1
function next(max: number): number {
  chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((chance / 2 ** 32) * max)
}

type Edge = { readonly from: number; readonly to: number }

function isCircular(edges: readonly Edge[]): boolean {
  return edges.some(({ from, to }) => {
    const seen = new Set([to])
    for (const at of seen) for (const edge of edges) if (edge.from === at) seen.add(edge.to)
    return seen.has(from)
  })
}

/** Draws edges of some nodes at the same time, again and again, and counts what happened. */
async function drawAtOnce(
  nodes: readonly number[],
  draw: (from: number, to: readonly number[]) => Promise<unknown>,
  edges: () => Promise<readonly Edge[]>,
): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const told = Array.from({ length: 3 }, () => {
      const from = nodes[next(nodes.length)] ?? 0
      return draw(
        from,
        nodes.filter((node) => node !== from && next(3) === 0),
      ).then(
        () => 'drawn',
        (error: unknown) => {
          if (error instanceof Refusal) return error.code
          throw error
        },
      )
    })
    for (const outcome of await Promise.all(told)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    expect(isCircular(await edges())).toBe(false)
  }
  return outcomes
}

test('objects never depend on themselves, also with concurrent requests', async () => {
  const nodes: number[] = []
  for (let index = 0; index < 6; index++) {
    nodes.push((await createGroup(context, 1, groupBody.parse({ name: `${index}` }))).group.id)
  }
  const outcomes = await drawAtOnce(
    nodes,
    (from, to) => updateDependencies(context, { parentType: 'group', parentId: from }, to),
    () =>
      stage.ports.database.all<Edge>(
        sql`select object_id as "from", depends_on_id as "to" from dependencies`,
      ),
  )
  expect([...outcomes.keys()].sort()).toEqual(['cycle', 'drawn'])
})

test('objects are never children of themselves, also with concurrent requests', async () => {
  const nodes: number[] = []
  for (let index = 0; index < 6; index++) {
    nodes.push((await createSlo(context, 1, sloBody.parse({ name: `${index}` }))).slo.id)
  }
  const outcomes = await drawAtOnce(
    nodes,
    (from, to) => {
      const items = to.map((id) => ({ id, weight: 1, stateOverrides: {} }))
      return updateChildren(context, { type: 'slo', id: from }, { items, mode: 'replace', ifMatch: null })
    },
    () => stage.ports.database.all<Edge>(sql`select parent_id as "from", child_id as "to" from links`),
  )
  expect([...outcomes.keys()].sort()).toEqual(['cycle', 'drawn'])
})

test(`an answer has the first ${DEPENDENTS_SHOWN_MAX} dependents and the number of all`, async () => {
  const { database } = stage.ports
  const { group } = await createGroup(context, 1, groupBody.parse({ name: 'needed' }))
  const dependOn = async (count: number) => {
    const number = sql.raw(String(count))
    const id = sql.raw(String(group.id))
    await database.run(sql`
      insert or ignore into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
        collector_id, version, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${number})
      select ${id} + i, 'group', 'group', 'x', 'x', ${id}, '/1/' || ${id} || '/' || (${id} + i) || '/', 0, 'none', 0, 1, 0
      from n`)
    await database.run(sql`
      insert or ignore into dependencies select id, ${id} from objects where parent_id = ${id}`)
    return readDependencies(context, { parentType: 'group', parentId: group.id })
  }
  const all = await dependOn(DEPENDENTS_SHOWN_MAX)
  expect([all.dependents.length, all.dependentsTotal]).toEqual([1_000, 1_000])
  const more = await dependOn(DEPENDENTS_SHOWN_MAX + 1)
  expect([more.dependents.length, more.dependentsTotal]).toEqual([1_000, 1_001])
})
