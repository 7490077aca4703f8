import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import type { IdListSql } from '../../../access/rights/permissions.ts'
import type { Database } from '../../../ports/database.ts'
import type { State } from '../../../domain/state.ts'
import { STATES } from '../../../domain/state.ts'
import type { ObjectType } from '../schema.ts'
import type { TextMatch } from '../search/filter.ts'
import { Bound } from '../search/store/bound.ts'
import { nameDriver } from '../search/store/drivers.ts'
import { textFits, textSeek } from '../search/store/texts.ts'
import type { Segment } from './path.ts'

export type ChildPlace = { readonly type: string; readonly name: string; readonly id: number }

export type ChildRow = {
  readonly id: number
  readonly type: ObjectType
  readonly subType: string
  readonly name: string
  readonly nameFolded: string
  readonly state: State
  readonly runBy: number
  readonly path: string
  readonly hasChildren: boolean
}

export type NodeRow = Omit<ChildRow, 'nameFolded'> & { readonly parentId: number; readonly depth: number }

export type Hit = { readonly id: number; readonly path: string }

type Flagged<Row> = Omit<Row, 'hasChildren'> & { readonly hasChildren: number }

/** @param linked a condition on the children of a service level object or container, `k` */
function columns(linked: SQL): SQL {
  return sql`o.id, o.type, o.sub_type as "subType", o.name, coalesce(s.state, 'undefined') as state,
  case when o.type = 'job' and o.collector_id = 0 then p.collector_id else o.collector_id end as "runBy", o.path,
  exists (select 1 from objects c where c.parent_id = o.id)
    or exists (select 1 from links l join objects k on k.id = l.child_id
      where l.parent_id = o.id and not l.is_left_out and ${linked}) as "hasChildren"`
}

const JOINS = sql.raw('left join objects p on p.id = o.parent_id left join states s on s.object_id = o.id')

/** The children of an object by type and name, after a position.
 * @param page.visible a condition on the child, `o` */
export async function readChildren(
  database: Database,
  parentId: number,
  page: { after: ChildPlace; limit: number; visible: SQL; linked: SQL },
): Promise<readonly ChildRow[]> {
  const { type, name, id } = page.after
  const rows = await database.all<Flagged<ChildRow>>(sql`
    select ${columns(page.linked)}, o.name_folded as "nameFolded" from objects o ${JOINS}
    where o.parent_id = ${parentId} and (o.type, o.name_folded, o.id) > (${type}, ${name}, ${id}) and ${page.visible}
    order by o.type, o.name_folded, o.id limit ${sql.raw(String(page.limit))}`)
  return rows.map((row) => ({ ...row, hasChildren: row.hasChildren === 1 }))
}

export type LinkedRow = ChildRow & {
  readonly by: 'link' | 'filter'
  readonly weight: number
  readonly stateOverrides: Readonly<Partial<Record<State, State>>>
}

/** The children of a service level object or container, in the order of its `sortMode`; matches of its filter come
 * last.
 * @param page `readable` is a condition on the child, `o` */
export async function readLinked(
  database: Database,
  parentId: number,
  page: { readonly offset: number; readonly limit: number; readonly readable: SQL; readonly linked: SQL },
): Promise<readonly LinkedRow[]> {
  const rank = sql.raw(STATES.map((state, index) => `when '${state}' then ${index}`).join(' '))
  const rows = await database.all<Flagged<Omit<LinkedRow, 'stateOverrides'>> & { overrides: string }>(sql`
    select ${columns(page.linked)}, o.name_folded as "nameFolded", case l.by_filter when 1 then 'filter' else 'link' end as "by",
           l.weight, l.overrides
    from links l join objects o on o.id = l.child_id ${JOINS} left join slos parent on parent.id = l.parent_id
    where l.parent_id = ${parentId} and not l.is_left_out and ${page.readable}
    order by case parent.sort_mode when 'name' then o.name_folded end,
             case parent.sort_mode when 'state' then case s.state ${rank} else ${STATES.length} end end,
             l.by_filter, l.position, o.name_folded, o.id
    limit ${sql.raw(String(page.limit))} offset ${sql.raw(String(page.offset))}`)
  return rows.map(({ overrides, ...row }) => ({
    ...row,
    hasChildren: row.hasChildren === 1,
    stateOverrides: JSON.parse(overrides) as LinkedRow['stateOverrides'],
  }))
}

/** An object and the objects below it, level by level, at most `limit`.
 * @param want.depth the number of levels; null for all
 * @param want.visible a condition on objects below, `c` */
export async function readNodes(
  database: Database,
  id: number,
  want: { depth: number | null; types: readonly ObjectType[]; limit: number; visible: SQL; linked: SQL },
): Promise<readonly NodeRow[]> {
  const isIn = sql.raw(`c.type in (${want.types.map((type) => `'${type}'`).join(', ')})`)
  const isWithin = sql.raw(want.depth === null ? '1' : `node.depth < ${want.depth}`)
  const rows = await database.all<Flagged<NodeRow>>(sql`
    with recursive node(id, depth) as (
      select cast(${id} as integer), 0
      union all
      select c.id, node.depth + 1 from node join objects c on c.parent_id = node.id and ${isIn} and ${want.visible}
      where ${isWithin}
      limit ${sql.raw(String(want.limit))}
    )
    select ${columns(want.linked)}, o.parent_id as "parentId", node.depth from node join objects o on o.id = node.id ${JOINS}
    order by node.depth, o.type, o.name_folded, o.id`)
  return rows.map((row) => ({ ...row, hasChildren: row.hasChildren === 1 }))
}

/** The number of jobs below each object in each state.
 * @param readable a condition on the job, `j` */
export async function countStates(
  database: Database,
  ids: readonly number[],
  readable: SQL,
): Promise<readonly { readonly id: number; readonly state: State; readonly total: number }[]> {
  return database.all(sql`
    select n.id, coalesce(s.state, 'undefined') as state, count(*) as total
    from ${eachOf(ids)} wanted
    join objects n on n.id = wanted.value
    cross join objects j on j.type = 'job' and j.path > n.path and j.path < n.path || '~' and ${readable}
    left join states s on s.object_id = j.id
    group by 1, 2`)
}

type Step = {
  readonly segment: Segment
  readonly type: ObjectType | null
  /** True if the children are links of a service level object or container. */
  readonly isLinked: boolean
  readonly limit: number
  /** The condition on objects to find, `o`. */
  readonly where: (listed: IdListSql) => string
}

/** The objects that match a segment among the children of these or, for a deep segment, anywhere below them; in tree
 * order. */
export async function readStep(
  database: Database,
  from: readonly Hit[],
  step: Step,
): Promise<readonly Hit[]> {
  const bound = new Bound()
  const match = matchOf(step.segment)
  const where = [
    placeOf(from, step, bound),
    textFits('+o.name_folded', match, bound),
    ...(step.type === null ? [] : [`o.type = '${step.type}'`]),
    step.where((ids) => bound.add(JSON.stringify(ids))),
  ]
  return database.all(
    bound.statement(
      `select o.id, o.path from objects o where ${where.join(' and ')} order by +o.path limit ${step.limit}`,
    ),
  )
}

function matchOf({ pattern, isExact }: Segment): TextMatch {
  return { by: isExact ? 'eq' : 'matches', text: pattern }
}

/** The condition on the place of objects that a step finds, `o`. */
function placeOf(from: readonly Hit[], { segment, type, isLinked }: Step, bound: Bound): string {
  const match = matchOf(segment)
  if (isLinked) return isLinkedTo(from, segment.isDeep, bound)
  return segment.isDeep ? isBelow(topmost(from), match, bound) : isChild(from, { match, type }, bound)
}

/** Linked children, for a deep segment with all objects below them. */
function isLinkedTo(parents: readonly Hit[], isDeep: boolean, bound: Bound): string {
  const ids = bound.add(JSON.stringify(parents.map(({ id }) => id)))
  const children = `select l.child_id from links l
    where l.parent_id in (select value from json_each(${ids})) and not l.is_left_out`
  if (!isDeep) return `o.id in (${children})`
  return `o.id in (select d.id from objects a
    cross join objects d on d.path >= a.path and d.path < a.path || '~' where a.id in (${children}))`
}

/** One seek in the index on parent, type and name for each parent. */
function isChild(
  parents: readonly Hit[],
  { match, type }: { match: TextMatch; type: ObjectType | null },
  bound: Bound,
) {
  const ids = bound.add(JSON.stringify(parents.map(({ id }) => id)))
  const seek = textSeek('o.name_folded', match, bound)
  return [
    `o.parent_id in (select value from json_each(${ids}))`,
    ...(type === null ? ["o.type in ('device', 'group', 'job', 'slc', 'slo')"] : []),
    ...(seek === null ? [] : [seek]),
  ].join(' and ')
}

/** By name, from an index if there is one, with an ancestor among these; else all objects below them. */
function isBelow(tops: readonly Hit[], match: TextMatch, bound: Bound): string {
  const ids = bound.add(JSON.stringify(tops.map(({ id }) => id)))
  const driver = nameDriver(match, bound)
  if (driver === null) {
    return `o.id in (select d.id from json_each(${ids}) f join objects a on a.id = f.value
      cross join objects d on d.path > a.path and d.path < a.path || '~')`
  }
  return `o.id in (${driver}) and exists (
    select 1 from json_each('[' || replace(trim(o.path, '/'), '/', ',') || ']') a
    where a.value <> o.id and a.value in (select value from json_each(${ids})))`
}

/** Without objects below others, whose descendants are found already. */
function topmost(hits: readonly Hit[]): readonly Hit[] {
  const tops: Hit[] = []
  for (const hit of hits) {
    if (!hit.path.startsWith(tops.at(-1)?.path ?? '-')) tops.push(hit)
  }
  return tops
}

/** The names of objects. */
export async function readNames(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await database.all<{ id: number; name: string }>(
    sql`select id, name from objects where id in ${elementsOf(ids)}`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
