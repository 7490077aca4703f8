import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../ports/job-actors.ts'
import type { ObjectType } from '../tree/schema.ts'

export type DependencyRow = {
  readonly id: number
  readonly type: ObjectType
  readonly name: string
  readonly state: State
  readonly runBy: number
}

/** What an object depends on, by id. */
export function readDependencies(database: Database, id: number): Promise<readonly DependencyRow[]> {
  return readObjects(
    database,
    sql`select depends_on_id as id from dependencies where object_id = ${id} order by depends_on_id`,
  )
}

/** What depends on an object, by id, at most `limit` of it. */
export function readDependents(
  database: Database,
  id: number,
  limit: number,
): Promise<readonly DependencyRow[]> {
  return readObjects(
    database,
    sql`select object_id as id from dependencies where depends_on_id = ${id} order by object_id limit ${limit}`,
  )
}

/** Those of these objects that are there. */
export function readGiven(database: Database, ids: readonly number[]): Promise<readonly DependencyRow[]> {
  return readObjects(database, sql`select value as id from json_each(${JSON.stringify(ids)})`)
}

function readObjects(database: Database, ids: SQL): Promise<readonly DependencyRow[]> {
  return database.all<DependencyRow>(sql`
    select o.id as id, o.type as type, o.name as name, coalesce(s.state, 'undefined') as state,
      case when o.type = 'job' and o.collector_id = 0 then p.collector_id else o.collector_id end as "runBy"
    from (${ids}) wanted join objects o on o.id = wanted.id
      left join objects p on p.id = o.parent_id left join states s on s.object_id = o.id
    order by o.id`)
}

export async function countDependents(database: Database, id: number): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from dependencies where depends_on_id = ${id}`,
  )
  return row?.total ?? 0
}

/** An object and everything that depends on it, however indirectly. */
export async function readAllDependents(database: Database, id: number): Promise<ReadonlySet<number>> {
  const rows = await database.all<{ id: number }>(sql`
    with recursive dependent (id) as (
      select cast(${id} as integer)
      union
      select d.object_id from dependent join dependencies d on d.depends_on_id = dependent.id)
    select id from dependent`)
  return new Set(rows.map((row) => row.id))
}

/** Makes these all that an object depends on. Fails as `refuseCircular` recognises when it would depend on itself by now: somebody else drew
 * the other half of a circle meanwhile. */
export function replaceDependencies(database: Database, id: number, dependsOn: readonly number[]): Write[] {
  return [
    database.run(sql`delete from dependencies where object_id = ${id}`),
    database.run(sql`
      insert into dependencies (object_id, depends_on_id)
      select ${id}, value from json_each(${JSON.stringify(dependsOn)})`),
    database.run(sql`
      update objects set version = case when not exists (
        with recursive needed (id) as (
          select depends_on_id from dependencies where object_id = ${id}
          union
          select d.depends_on_id from needed join dependencies d on d.object_id = needed.id)
        select 1 from needed where id = ${id}) then version end
      where id = ${id}`),
  ]
}
