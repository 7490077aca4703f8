import { eq, sql } from 'drizzle-orm'
import { idOfPath } from '../../../db/paths.ts'
import { slcs } from '../../../db/tables/slcs.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Range } from '../../lib/range.ts'
import type { State } from '../../domain/state.ts'
import type { SlaState, Link, Push } from '../states/propagation.ts'
import type { ActiveWindow } from './active-time.ts'
import type { PeriodRules } from './periods.ts'
import type { MaintenanceStep } from './maintenance-steps.ts'

/** The terms of a container, which can change. */
export type Terms = {
  readonly limit: number
  readonly target: number | null
  readonly warnAt: number
  readonly activeTime: readonly ActiveWindow[] | null
}

export type SlcRow = PeriodRules & Terms

/** A child as the container counts it. */
export type Counted = { readonly id: number; readonly push: Push; readonly overrides: Link['overrides'] }

/** The instant up to which a container was assessed, and the basis of the assessment. */
export type Judged = {
  readonly at: number
  /** The digest of the terms and children of the assessment. */
  readonly ground: string
  /** The downtime before `at` of the period that begins at `beginAt`; `seqs` is the digest of the children's
   * transitions until then. */
  readonly settled: Settled | null
}

export type Settled = {
  readonly beginAt: number
  readonly at: number
  readonly usedMs: number
  readonly seqs: string
}

const COLUMNS = {
  duration: slcs.duration,
  resetInterval: slcs.resetInterval,
  timeZone: slcs.timeZone,
  limit: slcs.limit,
  target: slcs.target,
  warnAt: slcs.warnAt,
  activeTime: slcs.activeTime,
  judged: slcs.judged,
}

/** The own fields of a container. */
export async function findSlc(
  database: Database,
  id: number,
): Promise<(SlcRow & { readonly judged: Judged | null }) | null> {
  const [row] = await database.select(COLUMNS).from(slcs).where(eq(slcs.id, id))
  return (row as (SlcRow & { judged: Judged | null }) | undefined) ?? null
}

/** @param path the temporary path of the new container */
export function insertSlc(
  database: Database,
  path: string,
  row: SlcRow & { readonly createdAt: number },
): Write {
  const { createdAt, ...columns } = row
  return database.insert(slcs).values({
    ...columns,
    id: idOfPath(path),
    nextAt: createdAt,
    frozenUntilAt: createdAt,
  })
}

export function updateTerms(database: Database, id: number, terms: Terms): Write {
  return database.update(slcs).set(terms).where(eq(slcs.id, id))
}

/** The children of a container as it counts them. */
export async function readCounted(database: Database, id: number): Promise<readonly Counted[]> {
  const rows = await database.all<{ id: number; push: Push; overrides: string }>(sql`
    select l.child_id as id, coalesce(slo.push_state, 'any') as push, l.overrides as overrides
    from links l left join slos slo on slo.id = l.child_id where l.parent_id = ${id} order by l.child_id`)
  return rows.map((row) => ({ ...row, overrides: JSON.parse(row.overrides) as Link['overrides'] }))
}

/** A container to assess or to freeze. */
export type DueSlc = SlcRow & {
  readonly id: number
  readonly createdAt: number
  /** The visible state, with maintenance. */
  readonly state: State
  readonly sinceAt: number
  readonly seq: number
  readonly maintained: boolean
  /** As `Node.slaState`. */
  readonly slaState: SlaState | null
  readonly judged: Judged | null
  readonly frozenUntilAt: number
  /** The mark of the work queue; null if only time has passed. */
  readonly mark: number | null
}

/** Containers that are due, or whose children have changed; at most `limit`. */
export async function readDue(database: Database, now: number, limit: number): Promise<readonly DueSlc[]> {
  const rows = await database.all<
    Omit<DueSlc, 'judged' | 'activeTime' | 'slaState' | 'maintained'> & {
      judged: string | null
      activeTime: string | null
      slaState: string | null
      maintained: number
    }
  >(sql`
    select c.id as id, o.created_at as "createdAt", s.state as state, s.since_at as "sinceAt", s.seq as seq,
           s.maintained as maintained, s.sla_state as "slaState", c.duration as duration, c.reset_interval as "resetInterval", c.time_zone as "timeZone",
           c.limit_percent as "limit", c.target_percent as target, c.warn_at_percent as "warnAt",
           c.active_time as "activeTime", c.judged as judged, c.frozen_until_at as "frozenUntilAt", q.mark as mark
    from slcs c join objects o on o.id = c.id join states s on s.object_id = c.id
      left join stale_tallies q on q.object_id = c.id
    where c.id in (
      select id from (select id from slcs where next_at <= ${now} order by next_at limit ${limit})
      union
      select id from (select x.id as id from stale_tallies q cross join slcs x on x.id = q.object_id limit ${limit}))
    order by c.id limit ${limit}`)
  return rows.map((row) => ({
    ...row,
    maintained: row.maintained === 1,
    slaState: row.slaState === null ? null : (JSON.parse(row.slaState) as SlaState),
    judged: row.judged === null ? null : (JSON.parse(row.judged) as Judged),
    activeTime: row.activeTime === null ? null : (JSON.parse(row.activeTime) as Terms['activeTime']),
  }))
}

/** When the next container is due, epoch ms: 0 if children have changed; null for never. */
export async function readNextAt(database: Database): Promise<number | null> {
  const [row] = await database.all<{ next: number | null }>(sql`
    select case when exists (select 1 from stale_tallies q cross join slcs x on x.id = q.object_id) then 0
           else (select min(next_at) from slcs) end as next`)
  return row?.next ?? null
}

export type Progress = {
  readonly id: number
  readonly judged: Judged
  readonly nextAt: number
  readonly frozenUntilAt: number
}

export function saveProgress(database: Database, { id, ...columns }: Progress): Write {
  return database.update(slcs).set(columns).where(eq(slcs.id, id))
}

/** The maintenance changes of a container in a range, beginning with the one that is in effect at its start. */
export async function readMaintenanceSteps(
  database: Database,
  id: number,
  { beginAt, endAt }: Range,
): Promise<readonly MaintenanceStep[]> {
  const rows = await database.all<{ seq: number; at: number; maintained: number; excused: number }>(sql`
    select seq, at, maintained, excused from slc_maintenance
    where slc_id = ${id} and at < ${endAt}
      and seq >= coalesce((select max(seq) from slc_maintenance where slc_id = ${id} and at <= ${beginAt}), 0)
    order by seq`)
  return rows.map((row) => ({ ...row, maintained: row.maintained === 1, excused: row.excused === 1 }))
}
