import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../../db/lists.ts'
import type { Database } from '../../../../ports/database.ts'
import type { State } from '../../../../domain/state.ts'
import { OBJECT_TYPES } from '../../schema.ts'
import type { ObjectType } from '../../schema.ts'
import type { Condition } from '../filter.ts'
import { Bound } from './bound.ts'
import { conditionSql } from './conditions.ts'
import { driverSql } from './drivers.ts'

/** A search for objects below one object that meet all conditions. */
export type Branch = {
  readonly path: string
  readonly types: readonly ObjectType[]
  readonly conditions: readonly Condition[]
}

export type FoundObject = { readonly id: number; readonly path: string }

export type ItemRow = {
  readonly id: number
  readonly type: ObjectType
  readonly subType: string
  readonly name: string
  readonly parentId: number | null
  readonly isTemplate: boolean
  readonly state: State
  readonly parentName: string | null
  readonly runBy: number
  readonly path: string
}

/** A subtree with at most this many objects is read whole. */
const SMALL = 2000
/** A driver with more objects than this is not used; the tree is read in order until a page is full. */
const FEW = 10_000

/** Finds the objects of each branch, in the order of their paths, at most `limit` after `after`. A small subtree is
 * read whole. In a large one, the indexed condition with the fewest objects drives the query, unless all have many;
 * then a page fills soon in tree order. */
export async function findBranches(
  database: Database,
  branches: readonly Branch[],
  page: { after: string; limit: number },
): Promise<readonly (readonly FoundObject[])[]> {
  const probes = branches.map((branch) =>
    [null, ...branch.conditions].map((probed) => probeOf(branch, probed)),
  )
  const totals = await readTotals(database, probes.flat())
  const queries = branches.map((branch) => {
    const [subtree = 0, ...drivers] = totals.splice(0, branch.conditions.length + 1)
    const fewest = Math.min(...drivers)
    const driver = subtree > SMALL && fewest <= FEW ? branch.conditions[drivers.indexOf(fewest)] : undefined
    return database.all<FoundObject>(branchSql(branch, driver, page))
  })
  const [first, ...rest] = queries
  return first ? ((await database.batch([first, ...rest])) as FoundObject[][]) : []
}

/** The matches of each branch among a few objects; no other objects are read. */
export async function findAmong(
  database: Database,
  branches: readonly Branch[],
  ids: readonly number[],
): Promise<readonly (readonly FoundObject[])[]> {
  const among = { test: { kind: 'among', ids }, negated: false } as const
  const [first, ...rest] = branches.map((branch) =>
    database.all<FoundObject>(branchSql(branch, among, { after: branch.path, limit: ids.length })),
  )
  return first ? ((await database.batch([first, ...rest])) as FoundObject[][]) : []
}

/** The listed fields of objects, in the order of the ids. */
export async function readItems(database: Database, ids: readonly number[]): Promise<readonly ItemRow[]> {
  const rows = await database.all<Omit<ItemRow, 'isTemplate'> & { readonly isTemplate: number }>(sql`
    select o.id, o.type, o.sub_type as "subType", o.name, o.parent_id as "parentId", o.is_template as "isTemplate",
      coalesce(s.state, 'undefined') as state, p.name as "parentName",
      case when o.type = 'job' and o.collector_id = 0 then p.collector_id else o.collector_id end as "runBy", o.path
    from ${eachOf(ids)} wanted
    join objects o on o.id = wanted.value
    left join objects p on p.id = o.parent_id
    left join states s on s.object_id = o.id
    order by wanted.key`)
  return rows.map((row) => ({ ...row, isTemplate: row.isTemplate === 1 }))
}

/** The stored parameters of jobs. */
export async function readParameters(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, unknown>> {
  const rows = await database.all<{ id: number; parameters: string }>(
    sql`select id, parameters from jobs where id in ${elementsOf(ids)}`,
  )
  return new Map(rows.map(({ id, parameters }) => [id, JSON.parse(parameters) as unknown]))
}

/** The statement that finds a branch's objects: from the index of its driver, or along the tree. */
export function branchSql(
  branch: Branch,
  driver: Condition | undefined,
  page: { after: string; limit: number },
): SQL {
  const bound = new Bound()
  const driving = driver === undefined ? null : driverSql(driver, bound)
  const column = driving === null ? 'o.path' : '+o.path'
  const where = [
    ...(driving === null ? [] : [`o.id in (${driving})`]),
    ...typeSql(branch.types, driving === null),
    `${column} > ${bound.add(page.after)}`,
    `${column} < ${bound.add(`${branch.path}~`)}`,
    ...branch.conditions.map((condition) => conditionSql(condition, bound)),
  ]
  return bound.statement(`select o.id, o.path from objects o
    where ${where.join('\n and ')} order by ${column} limit ${page.limit}`)
}

/** The index on type and path reads one type in order; several types are read along the path. */
function typeSql(types: readonly ObjectType[], isAlongPath: boolean): string[] {
  if (types.length === OBJECT_TYPES.length) return []
  const list = types.map((type) => `'${type}'`).join(', ')
  return [isAlongPath && types.length === 1 ? `o.type = ${list}` : `+o.type in (${list})`]
}

/** Counts the objects of a condition's driver, or of the subtree for null, up to the bound; null if there is nothing to
 * count. */
function probeOf({ path }: Branch, condition: Condition | null): SQL | null {
  const bound = new Bound()
  const enough = (condition === null ? SMALL : FEW) + 1
  const counted =
    condition === null
      ? `select 1 from objects o where o.path > ${bound.add(path)} and o.path < ${bound.add(`${path}~`)}`
      : driverSql(condition, bound)
  return counted === null
    ? null
    : bound.statement(`select count(*) as total from (select 1 from (${counted}) limit ${enough})`)
}

async function readTotals(database: Database, probes: readonly (SQL | null)[]): Promise<number[]> {
  const [first, ...rest] = probes.flatMap((probe) => (probe ? [database.all<{ total: number }>(probe)] : []))
  const answers = first ? await database.batch([first, ...rest]) : []
  let next = 0
  return probes.map((probe) => (probe ? (answers[next++]?.[0]?.total ?? 0) : Number.POSITIVE_INFINITY))
}
