import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import type { Range } from '../../lib/range.ts'
import type { Database } from '../../ports/database.ts'
import type { Reason, State } from '../../domain/state.ts'
import type { Link, Push } from '../states/propagation.ts'
import type { ObjectType } from '../tree/schema.ts'
import type { SlaChange } from './recalc.ts'
import type { StateChange } from './timeline.ts'

const OBJECTS_AT_ONCE = 50
const FIRST_CHANGES = 1_000
const CHANGES_AT_ONCE = 20_000

/** The state of an object from an instant on: `seq` is the number of its transition, 0 before the first. */
export type Begin = {
  readonly id: number
  readonly createdAt: number
  readonly state: State
  readonly seq: number
  /** Whether the state changes before the end of the range. */
  readonly changes: boolean
}

/** The states of objects at the start of a range, without deleted objects. */
export async function readBegins(
  database: Database,
  ids: readonly number[],
  { beginAt, endAt }: Range,
): Promise<readonly Begin[]> {
  const rows = await database.all<Omit<Begin, 'changes'> & { changes: number }>(sql`
    select w.value as id, o.created_at as "createdAt", coalesce(t.seq, 0) as seq, coalesce(t.to_state,
        (select from_state from transitions where object_id = w.value order by seq limit 1), s.state, 'undefined') as state,
      exists (select 1 from transitions c where c.object_id = w.value and c.at > ${beginAt} and c.at < ${endAt}) as changes
    from ${eachOf(ids)} w cross join objects o on o.id = w.value
      left join transitions t on t.object_id = w.value and t.seq = (
        select seq from transitions where object_id = w.value and at <= ${beginAt} order by at desc, seq desc limit 1)
      left join states s on s.object_id = w.value`)
  return rows.map((row) => ({ ...row, changes: row.changes === 1 }))
}

/** The state changes of objects after their begins and before `endAt`, each in order. Many objects with few changes
 * need few statements; an object with many changes is read in pages. */
export async function readChanges(
  database: Database,
  begins: readonly Begin[],
  endAt: number,
): Promise<ReadonlyMap<number, readonly StateChange[]>> {
  const found = new Map<number, readonly StateChange[]>()
  const changing = begins.filter(({ changes }) => changes)
  for (let from = 0; from < changing.length; from += OBJECTS_AT_ONCE) {
    const some = changing.slice(from, from + OBJECTS_AT_ONCE)
    for (const page of await readPages(database, some, { endAt, limit: FIRST_CHANGES })) {
      const changes = [...page.changes]
      let { isFull, seq } = page
      while (isFull) {
        const after = [{ id: page.id, seq }]
        const [next] = await readPages(database, after, { endAt, limit: CHANGES_AT_ONCE })
        for (const change of next?.changes ?? []) changes.push(change)
        ;({ isFull, seq } = next ?? { isFull: false, seq })
      }
      found.set(page.id, changes)
    }
  }
  return found
}

/** The first changes of each object after its transition `seq`. The two columns of many changes come as a few texts: as
 * rows they would take ten times as long. */
async function readPages(
  database: Database,
  after: readonly Pick<Begin, 'id' | 'seq'>[],
  { endAt, limit }: { readonly endAt: number; readonly limit: number },
) {
  const from = after.map(({ id, seq }) => [id, seq])
  const rows = await database.all<{ id: number; page: string }>(sql`
    select w.value ->> 0 as id, (
      select json_array(json_group_array(at), json_group_array(to_state), max(seq))
      from (select at, to_state, seq from transitions
            where object_id = w.value ->> 0 and seq > w.value ->> 1 and at < ${endAt} order by seq limit ${limit})) as page
    from ${eachOf(from)} w`)
  return rows.map(({ id, page }) => {
    const [ats, states, last] = JSON.parse(page) as [number[], State[], number | null]
    const changes = ats.map((at, index): StateChange => ({ at, to: states[index] ?? 'undefined' }))
    return { id, changes, isFull: ats.length === limit, seq: last ?? 0 }
  })
}

export type TransitionRow = {
  readonly at: number
  readonly detectedAt: number
  readonly from: State
  readonly to: State
  readonly reason: Reason | 'adjustment'
  readonly causeId: number | null
  readonly causeType: ObjectType | null
  readonly causeName: string | null
}

/** The transitions of an object in [beginAt, endAt) with their causes, at most `limit`.
 * @param want.readable a condition on causes, `c` */
export async function readTransitions(
  database: Database,
  objectId: number,
  want: {
    readonly beginAt: number
    readonly endAt: number
    readonly limit: number
    readonly readable: SQL
  },
): Promise<readonly TransitionRow[]> {
  const { beginAt, endAt, limit, readable } = want
  return database.all<TransitionRow>(sql`
    select t.at as at, t.detected_at as "detectedAt", t.from_state as "from", t.to_state as "to", t.reason as reason,
           c.id as "causeId", c.type as "causeType", c.name as "causeName"
    from transitions t left join objects c on c.id = t.cause_id and ${readable}
    where t.object_id = ${objectId} and t.at >= ${beginAt} and t.at < ${endAt}
    order by t.at, t.seq limit ${limit}`)
}

/** A child as its parent counts it. */
export type ChildRow = Pick<Link, 'parentId' | 'weight' | 'overrides'> & {
  readonly id: number
  readonly push: Push
}

/** The children of parents, in the tree and by links, at most `limit`. */
export async function readCounted(
  database: Database,
  parents: readonly number[],
  limit: number,
): Promise<readonly ChildRow[]> {
  const given = sql`${eachOf(parents)} parent`
  const push = sql`coalesce(slo.push_state, 'any') as push`
  const rows = await database.all<Omit<ChildRow, 'overrides'> & { overrides: string }>(sql`
    select * from (
      select o.id as id, o.parent_id as "parentId", 1 as weight, '{}' as overrides, ${push}
      from ${given} cross join objects o on o.parent_id = parent.value and o.type <> 'slc'
        left join slos slo on slo.id = o.id
      union all
      select l.child_id as id, l.parent_id as "parentId", l.weight as weight, l.overrides as overrides, ${push}
      from ${given} cross join links l on l.parent_id = parent.value and not l.is_left_out
        left join slos slo on slo.id = l.child_id)
    limit ${limit}`)
  return rows.map((row) => ({ ...row, overrides: JSON.parse(row.overrides) as Link['overrides'] }))
}

export type History = {
  readonly id: number
  readonly createdAt: number
  /** The state at the start of the range. */
  readonly first: State
  readonly changes: readonly StateChange[]
}

/** The number of changes of objects in a range, counted up to `limit`. */
export async function countChanges(
  database: Database,
  ids: readonly number[],
  { beginAt, endAt, limit }: Range & { readonly limit: number },
): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from ${eachOf(ids)} one
        cross join transitions t on t.object_id = one.value and t.at > ${beginAt} and t.at < ${endAt}
      limit ${limit})`)
  return row?.total ?? 0
}

/** The states of many objects over a range. */
export async function readHistories(
  database: Database,
  ids: readonly number[],
  range: Range,
): Promise<readonly History[]> {
  const begins = await readBegins(database, ids, range)
  const changes = await readChanges(database, begins, range.endAt)
  return begins.map(({ id, createdAt, state }) => ({
    id,
    createdAt,
    first: state,
    changes: changes.get(id) ?? [],
  }))
}

/** The spans in or reaching into a range that began because objects could not deliver during our own downtime. */
export async function readGapBegins(
  database: Database,
  ids: readonly number[],
  { beginAt, endAt }: Range,
): Promise<readonly { readonly id: number; readonly at: number }[]> {
  return database.all<{ id: number; at: number }>(sql`
    select t.object_id as id, t.at as at
    from ${eachOf(ids)} one cross join transitions t on t.object_id = one.value
    where t.at < ${endAt} and t.reason = 'platform' and t.to_state = 'no_data'
      and t.at >= coalesce((select max(at) from transitions l where l.object_id = one.value and l.at <= ${beginAt}), 0)`)
}

/** The states that service level containers used for an object, if they differed from the object's own. */
export type SlaHistory = {
  readonly id: number
  /** The number of the first of these changes. */
  readonly firstSeq: number
  /** In order; the first may be from before the range. */
  readonly changes: readonly SlaChange[]
}

/** The states that service level containers used for objects over a range, for objects where they ever differed. */
export async function readSlaHistories(
  database: Database,
  ids: readonly number[],
  { beginAt, endAt }: Range,
): Promise<readonly SlaHistory[]> {
  const rows = await database.all<{ id: number; seq: number; at: number; to: State | null }>(sql`
    select c.object_id as id, c.seq as seq, c.at as at, c.to_state as "to"
    from ${eachOf(ids)} one cross join sla_changes c on c.object_id = one.value
    where c.at < ${endAt} and c.seq >= coalesce(
      (select max(seq) from sla_changes b where b.object_id = one.value and b.at <= ${beginAt}), 0)
    order by c.object_id, c.seq`)
  const byObject = Map.groupBy(rows, ({ id }) => id)
  return [...byObject].map(([id, changes]) => ({ id, firstSeq: changes[0]?.seq ?? 1, changes }))
}
