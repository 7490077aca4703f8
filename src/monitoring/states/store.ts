import { sql } from 'drizzle-orm'
import { states } from '../../../db/tables/monitoring.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../ports/job-actors.ts'
import { NO_CHILDREN } from './propagation.ts'
import type { Change, Node, Tally } from './propagation.ts'
import { STATES } from './state.ts'

/** These objects and everything above them. */
export async function readNodes(database: Database, ids: readonly number[]): Promise<readonly Node[]> {
  const rows = await database.all<NodeRow>(sql`
    with recursive upwards (id) as (
      select value from json_each(${JSON.stringify(ids)})
      union
      select o.parent_id from objects o join upwards on upwards.id = o.id where o.parent_id is not null
    )
    select o.id as id, o.parent_id as parent_id, o.type as type, s.seq as seq, s.state as state,
           s.since_at as since_at, s.tally as tally
    from upwards join objects o on o.id = upwards.id left join states s on s.object_id = o.id`)
  return rows.map(nodeOf)
}

type NodeRow = {
  id: number
  parent_id: number | null
  type: string
  seq: number | null
  state: State | null
  since_at: number | null
  tally: string | null
}

function nodeOf({ id, parent_id, type, seq, state, since_at, tally }: NodeRow): Node {
  return {
    id,
    parentId: parent_id,
    state: state ?? 'undefined',
    sinceAt: since_at ?? 0,
    seq: seq ?? 0,
    tally: type === 'job' ? null : tallyOf(tally),
  }
}

function tallyOf(text: string | null): Tally {
  return text === null ? NO_CHILDREN : (JSON.parse(text) as Tally)
}

/** Adds transitions that are not there yet; those of objects that are gone are left out. */
export function insertTransitions(database: Database, changes: readonly Change[]): Write {
  return database.run(sql`
    insert or ignore into transitions
      (object_id, seq, at, detected_at, from_state, to_state, reason, error_code, message, silent_since_at, cause_id)
    select value ->> 'objectId', value ->> 'seq', value ->> 'at', value ->> 'detectedAt', value ->> 'from',
           value ->> 'to', value ->> 'reason', value ->> 'errorCode', value ->> 'message', value ->> 'silentSinceAt',
           value ->> 'causeId'
    from json_each(${JSON.stringify(changes)})
    where exists (select 1 from objects where id = value ->> 'objectId')`)
}

/** Keeps the states of objects and what they count; an older state changes nothing. */
export function saveNodes(database: Database, nodes: readonly Node[]): Write {
  return database.run(sql`
    insert into states (object_id, seq, state, since_at, tally)
    select value ->> 'id', value ->> 'seq', value ->> 'state', value ->> 'sinceAt', value ->> 'tally'
    from json_each(${JSON.stringify(nodes)})
    where exists (select 1 from objects where id = value ->> 'id')
    on conflict (object_id) do update set seq = excluded.seq, state = excluded.state, since_at = excluded.since_at,
      tally = excluded.tally
    where excluded.seq >= states.seq`)
}

/** The state of an object that was just made, under its placeholder path. */
export function insertFirstState(
  database: Database,
  input: { path: string; state: State; sinceAt: number },
): Write {
  return database.insert(states).values({
    objectId: sql`(select id from objects where path = ${input.path})`,
    seq: 0,
    state: input.state,
    sinceAt: input.sinceAt,
  })
}

/** Notes that the children of an object, named by its id or its path, are to be counted. */
export function markUncounted(database: Database, object: number | { readonly path: string }): Write {
  const isIt = typeof object === 'number' ? sql`id = ${object}` : sql`path = ${object.path}`
  return database.run(sql`
    insert into uncounted (object_id, mark) select id, 1 from objects where ${isIt}
    on conflict (object_id) do update set mark = mark + 1`)
}

export type Uncounted = { readonly id: number; readonly mark: number }

/** Parents whose children are to be counted, what is below others first. */
export async function readUncounted(database: Database, limit: number): Promise<readonly Uncounted[]> {
  return database.all<Uncounted>(sql`
    select o.id as id, u.mark as mark from uncounted u join objects o on o.id = u.object_id
    order by length(o.path) desc, o.id limit ${limit}`)
}

/** How many children of each of these parents are in each state, in the order given. */
export async function countChildren(
  database: Database,
  parents: readonly number[],
): Promise<ReadonlyMap<number, Tally>> {
  const rows = await database.all<{ parent_id: number; state: State; total: number }>(sql`
    select o.parent_id as parent_id, coalesce(s.state, 'undefined') as state, count(*) as total
    from objects o left join states s on s.object_id = o.id
    where o.parent_id in (select value from json_each(${JSON.stringify(parents)}))
    group by 1, 2`)
  const tallies = new Map<number, number[]>(parents.map((id) => [id, [...NO_CHILDREN]]))
  for (const { parent_id, state, total } of rows) {
    const tally = tallies.get(parent_id)
    if (tally) tally[STATES.indexOf(state)] = total
  }
  return tallies
}

/** They have been counted; unless something came or went again meanwhile. */
export function forgetUncounted(database: Database, counted: readonly Uncounted[]): Write {
  return database.run(sql`
    delete from uncounted where exists (
      select 1 from json_each(${JSON.stringify(counted)})
      where value ->> 'id' = uncounted.object_id and value ->> 'mark' = uncounted.mark)`)
}
