import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { idOfPath, isWithin } from '../../../db/paths.ts'
import { states } from '../../../db/tables/states.ts'
import { staleTallies } from '../../../db/tables/work-queues.ts'
import { done, enqueue } from '../../../db/work-queue.ts'
import type { QueueItem } from '../../../db/work-queue.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import { shownState } from './propagation.ts'
import { NO_CHILDREN } from './tally.ts'
import type { SlaTransition, Tallies } from './sla-view.ts'
import type { StateChange, SlaState, Link, StateMoment, News, Node, Push } from './propagation.ts'
import type { Tally } from './tally.ts'
import type { SloRules } from './slo-state.ts'
import { STATES } from '../../domain/state.ts'

/** These objects and all objects above them, in the tree and by links. Service level containers are not above any
 * object, because their states follow from histories. */
export async function readNodes(database: Database, ids: readonly number[]): Promise<readonly Node[]> {
  const rows = await database.all<NodeRow>(sql`
    with recursive upwards (id) as (
      select value from ${eachOf(ids)}
      union
      select o.parent_id from upwards join objects o on o.id = upwards.id
      where o.parent_id is not null and o.type <> 'slc'
      union
      select l.parent_id from upwards join links l on l.child_id = upwards.id and not l.is_left_out
      where not exists (select 1 from slcs where slcs.id = l.parent_id))
    select o.id as id, o.type as type, o.parent_id as parent, s.seq as seq, s.state as state, s.since_at as since_at,
           s.heard as heard, s.bare as bare, coalesce(s.maintained, 0) as maintained, coalesce(s.flapping, 0) as flapping, s.news as news,
           s.tally as tally, s.moment as moment, s.sla_state as "slaState", slo.rules as rules, slo.push_state as push,
           (select json_group_array(json_array(l.parent_id, l.weight, json(l.overrides)))
            from links l where l.child_id = o.id and not l.is_left_out) as links
    from upwards join objects o on o.id = upwards.id
      left join states s on s.object_id = o.id left join slos slo on slo.id = o.id`)
  return rows.map(nodeOf)
}

type NodeRow = {
  id: number
  type: string
  parent: number | null
  seq: number | null
  state: State | null
  since_at: number | null
  heard: number | null
  bare: State | null
  maintained: number
  flapping: number
  news: string | null
  tally: string | null
  moment: string | null
  slaState: string | null
  rules: string | null
  push: Push | null
  links: string
}

function nodeOf(row: NodeRow): Node {
  return {
    id: row.id,
    state: row.state ?? 'undefined',
    sinceAt: row.since_at ?? 0,
    seq: row.seq ?? 0,
    heard: row.type === 'job' ? heardOf(row) : null,
    maintained: row.maintained === 1,
    flapping: row.flapping === 1,
    news: parsed<News>(row.news),
    parentId: row.parent,
    tally: row.type === 'job' || row.type === 'slc' ? null : tallyOf(row.tally),
    rules: parsed<SloRules>(row.rules),
    push: row.push ?? 'any',
    links: [
      ...(row.parent === null || row.type === 'slc' ? [] : [{ parentId: row.parent, ...IN_TREE }]),
      ...linksOf(row.links),
    ],
    moment: parsed<StateMoment>(row.moment),
    slaState: parsed<SlaState>(row.slaState),
  }
}

function parsed<Kept>(text: string | null): Kept | null {
  return text === null ? null : (JSON.parse(text) as Kept)
}

function heardOf(row: NodeRow): Node['heard'] {
  return { seq: row.heard ?? row.seq ?? 0, state: row.bare ?? row.state ?? 'undefined' }
}

/** How a child in the tree counts for its parent. */
const IN_TREE = { weight: 1, overrides: {} } as const

function linksOf(text: string): readonly Link[] {
  const rows = JSON.parse(text) as [number, number, Link['overrides']][]
  return rows.map(([parentId, weight, overrides]) => ({ parentId, weight, overrides }))
}

function tallyOf(text: string | null): Tally {
  return text === null ? NO_CHILDREN : (JSON.parse(text) as Tally)
}

/** Inserts new transitions; transitions of deleted objects are left out. */
export function insertTransitions(database: Database, changes: readonly StateChange[]): Write {
  return database.run(sql`
    insert or ignore into transitions
      (object_id, seq, at, detected_at, from_state, to_state, reason, error_code, message, silent_since_at, cause_id)
    select value ->> 'objectId', value ->> 'seq', value ->> 'at', value ->> 'detectedAt', value ->> 'from',
           value ->> 'to', value ->> 'reason', value ->> 'errorCode', value ->> 'message', value ->> 'silentSinceAt',
           value ->> 'causeId'
    from ${eachOf(changes)}
    where exists (select 1 from objects where id = value ->> 'objectId')`)
}

/** Inserts the states that service level containers use, after earlier ones; states of deleted objects are left out. */
export function insertSlaChanges(database: Database, slaChanges: readonly SlaTransition[]): Write {
  return database.run(sql`
    insert into sla_changes (object_id, seq, at, to_state)
    select o.id, coalesce((select max(seq) from sla_changes where object_id = o.id), 0)
             + row_number() over (partition by o.id order by key), value ->> 'at', value ->> 'to'
    from ${eachOf(slaChanges)} join objects o on o.id = value ->> 'objectId'`)
}

/** Stores the states and tallies of objects; an older state changes nothing. */
export function saveNodes(
  database: Database,
  nodes: readonly Pick<
    Node,
    | 'id'
    | 'seq'
    | 'state'
    | 'sinceAt'
    | 'heard'
    | 'maintained'
    | 'flapping'
    | 'news'
    | 'tally'
    | 'moment'
    | 'slaState'
  >[],
): Write {
  return database.run(sql`
    insert into states (object_id, seq, state, since_at, heard, bare, maintained, flapping, news, tally, moment,
      sla_state)
    select value ->> 'id', value ->> 'seq', value ->> 'state', value ->> 'sinceAt', value ->> '$.heard.seq',
           value ->> '$.heard.state', value ->> 'maintained', value ->> 'flapping', value ->> 'news', value ->> 'tally',
           value ->> 'moment', value ->> 'slaState'
    from ${eachOf(nodes)}
    where exists (select 1 from objects where id = value ->> 'id')
    on conflict (object_id) do update set seq = excluded.seq, state = excluded.state, since_at = excluded.since_at,
      heard = excluded.heard, bare = excluded.bare, maintained = excluded.maintained, flapping = excluded.flapping,
      news = excluded.news, tally = excluded.tally, moment = excluded.moment, sla_state = excluded.sla_state
    where excluded.seq >= states.seq`)
}

/** The first state of an object that the same commit creates, found by its temporary path. */
export function insertFirstState(
  database: Database,
  input: { path: string; state: State; sinceAt: number },
): Write {
  return database.insert(states).values({
    objectId: idOfPath(input.path),
    seq: 0,
    state: input.state,
    sinceAt: input.sinceAt,
  })
}

/** Moves the present states of objects, and their transitions, back to an instant at which they began. */
export function dateBack(database: Database, ids: readonly number[], at: number): Write[] {
  const isIt = (column: string) => sql`${sql.raw(column)} in ${elementsOf(ids)}`
  return [
    database.run(
      sql`update states set since_at = ${at}, moment = null where ${isIt('object_id')} and since_at > ${at}`,
    ),
    database.run(sql`update transitions set at = ${at} where ${isIt('object_id')} and at > ${at}`),
  ]
}

/** Enqueues parents, by id or path, whose children must be counted again. */
export function enqueueTallies(
  database: Database,
  object: number | readonly number[] | { readonly path: string },
): Write {
  const isIt =
    typeof object === 'object' && 'path' in object
      ? sql`path = ${object.path}`
      : sql`id in ${elementsOf([object].flat())}`
  return database.run(enqueue(staleTallies, sql`select id from objects where ${isIt}`))
}

/** Enqueues all service level objects that link to an object at or below a path. */
export function enqueueLinkedAbove(database: Database, path: string): Write {
  const linked = sql`select distinct l.parent_id from objects o join links l on l.child_id = o.id
    where ${isWithin('o.path', path)}`
  return database.run(enqueue(staleTallies, linked))
}

/** Fails the whole batch, as the tree's `refuseCircular` recognises, if an object has become part of its own children:
 * another request has added the other half of a cycle. Matches of filters are left out instead. */
export function refuseCircle(database: Database, id: number): Write {
  return database.run(sql`
    update objects set version = case when not exists (
      with recursive above (id) as (
        select parent_id from objects where id = ${id}
        union
        select parent_id from links where child_id = ${id} and not by_filter
        union
        select o.parent_id from above a join objects o on o.id = a.id
        union
        select l.parent_id from above a join links l on l.child_id = a.id and not l.by_filter)
      select 1 from above where id = ${id}) then version end
    where id = ${id}`)
}

/** Enqueues service level containers whose children have changed. */
export function enqueueContainers(
  database: Database,
  changes: readonly Pick<StateChange, 'objectId'>[],
): Write {
  const ids = [...new Set(changes.map(({ objectId }) => objectId))]
  const containers = sql`
    select distinct l.parent_id from ${eachOf(ids)} changed cross join links l on l.child_id = changed.value
      join slcs c on c.id = l.parent_id`
  return database.run(enqueue(staleTallies, containers))
}

/** Queued parents, lower ones first; containers count no children. */
export async function readStaleTallies(database: Database, limit: number): Promise<readonly QueueItem[]> {
  return database.all<QueueItem>(sql`
    select o.id as "objectId", q.mark as mark from stale_tallies q cross join objects o on o.id = q.object_id
    where o.type <> 'slc' order by length(o.path) desc, o.id limit ${limit}`)
}

/** The queued ones of these parents. */
export async function readStaleAmong(database: Database, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select object_id as id from stale_tallies where object_id in ${elementsOf(ids)}`)
  return rows.map(({ id }) => id)
}

/** Objects after an id whose state follows from their children, by id. */
export async function readParents(
  database: Database,
  afterId: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select id as id from objects where id > ${afterId} and type in ('group', 'device', 'slo') order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** The total weight of the children of each parent in each state, with their own states and with those that containers
 * use; in the given order. */
export async function countChildren(
  database: Database,
  parents: readonly number[],
): Promise<ReadonlyMap<number, Tallies>> {
  const given = sql`${eachOf(parents)} parent`
  const shown = sql`coalesce(s.state, 'undefined') as state, coalesce(s.sla_state ->> 'state', s.state, 'undefined') as "slaState",
    coalesce(slo.push_state, 'any') as push`
  const rows = await database.all<ChildrenRow>(sql`
    select o.parent_id as parent, ${shown}, '{}' as overrides, count(*) as total
    from ${given} cross join objects o on o.parent_id = parent.value
      left join states s on s.object_id = o.id left join slos slo on slo.id = o.id
    where o.type <> 'slc' group by 1, 2, 3, 4
    union all
    select l.parent_id as parent, ${shown}, l.overrides as overrides, sum(l.weight) as total
    from ${given} cross join links l on l.parent_id = parent.value and not l.is_left_out
      left join states s on s.object_id = l.child_id left join slos slo on slo.id = l.child_id group by 1, 2, 3, 4, 5`)
  const tallies = new Map(parents.map((id) => [id, { shown: [...NO_CHILDREN], slaState: [...NO_CHILDREN] }]))
  for (const { parent, state, slaState, push, overrides, total } of rows) {
    const link = JSON.parse(overrides) as Link['overrides']
    const add = (tally: number[] | undefined, one: State) => {
      const place = STATES.indexOf(shownState(one, push, link))
      if (tally) tally[place] = (tally[place] ?? 0) + total
    }
    add(tallies.get(parent)?.shown, state)
    add(tallies.get(parent)?.slaState, slaState)
  }
  return tallies
}

type ChildrenRow = {
  parent: number
  state: State
  slaState: State
  push: Push
  overrides: string
  total: number
}

export function finishTallies(database: Database, items: readonly QueueItem[]): Write {
  return database.run(done(staleTallies, items))
}
