import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import type { ObjectType } from '../tree/schema.ts'

export type DependencyRow = {
  readonly id: number
  readonly type: ObjectType
  readonly name: string
  readonly state: State
}

/** The objects that an object depends on, by id. @param readable a condition on these objects, `o` */
export function readDependencies(database: Database, id: number, readable: SQL) {
  return database.all<DependencyRow>(sql`
    select o.id as id, o.type as type, o.name as name, coalesce(s.state, 'undefined') as state
    from dependencies d join objects o on o.id = d.depends_on_id left join states s on s.object_id = o.id
    where d.object_id = ${id} and ${readable} order by o.id`)
}

/** The objects that depend on an object, by id, at most `limit`. @param readable a condition on these objects, `o` */
export function readDependents(
  database: Database,
  id: number,
  { limit, readable }: { readonly limit: number; readonly readable: SQL },
): Promise<readonly DependencyRow[]> {
  return database.all<DependencyRow>(sql`
    select o.id as id, o.type as type, o.name as name, coalesce(s.state, 'undefined') as state
    from dependencies d join objects o on o.id = d.object_id left join states s on s.object_id = o.id
    where d.depends_on_id = ${id} and ${readable} order by o.id limit ${limit}`)
}

/** The number of objects that depend on an object. @param readable a condition on these objects, `o` */
export async function countDependents(database: Database, id: number, readable: SQL): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`
    select count(*) as total from dependencies d join objects o on o.id = d.object_id
    where d.depends_on_id = ${id} and ${readable}`)
  return row?.total ?? 0
}

/** An object and all objects that depend on it, directly or indirectly. */
export async function readAllDependents(database: Database, id: number): Promise<ReadonlySet<number>> {
  const rows = await database.all<{ id: number }>(sql`
    with recursive dependent (id) as (
      select cast(${id} as integer)
      union
      select d.object_id from dependent join dependencies d on d.depends_on_id = dependent.id)
    select id from dependent`)
  return new Set(rows.map((row) => row.id))
}

/** The dependencies that the caller may not read, by id. @param readable a condition on readable objects, `o` */
export async function readHidden(database: Database, id: number, readable: SQL): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select o.id as id from dependencies d join objects o on o.id = d.depends_on_id
    where d.object_id = ${id} and not ${readable} order by o.id`)
  return rows.map((row) => row.id)
}

/** Replaces the readable dependencies of an object. The commit fails, as `refuseCircular` recognises, when another
 * request has added the other half of a cycle in the meantime, and, as `hasTooMany` recognises, when the object would have
 * more than `max`.
 * @param shown.readable a condition on the dependencies that may be removed, `o` */
export function replaceDependencies(
  database: Database,
  id: number,
  shown: { readonly dependsOn: readonly number[]; readonly readable: SQL; readonly max: number },
): Write[] {
  return [
    database.run(sql`delete from dependencies where object_id = ${id}
      and exists (select 1 from objects o where o.id = depends_on_id and ${shown.readable})`),
    database.run(sql`
      insert into dependencies (object_id, depends_on_id)
      select ${id}, value from ${eachOf(shown.dependsOn)}`),
    database.run(sql`
      update objects set version = case when not exists (
        with recursive needed (id) as (
          select depends_on_id from dependencies where object_id = ${id}
          union
          select d.depends_on_id from needed join dependencies d on d.object_id = needed.id)
        select 1 from needed where id = ${id}) then version end
      where id = ${id}`),
    database.run(sql`
      update objects set created_at = case when
        (select count(*) from dependencies where object_id = ${id}) <= ${shown.max} then created_at end
      where id = ${id}`),
  ]
}

/** Whether a commit failed because an object would have had too many dependencies. */
export function hasTooMany(error: unknown): boolean {
  return isNotNullViolation(error, 'objects.created_at')
}
