import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import * as queues from '../../../../db/tables/work-queues.ts'
import { enqueue } from '../../../../db/work-queue.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { insertStaged } from './refill.ts'
import type { Table } from './tables.ts'

/** An object above, or in place of, one that is to come back. */
export type Present = { readonly id: number; readonly path: string; readonly type: string }

/** The objects with these ids that exist. */
export async function findPresent(database: Database, ids: readonly number[]): Promise<readonly Present[]> {
  return database.all<Present>(sql`
    select o.id as id, o.path as path, o.type as type from ${eachOf(ids)} wanted
      cross join objects o on o.id = wanted.value`)
}

/** The creation time of the root group: it identifies an installation, and a restored one has the time of its backup. */
export async function rootCreatedAt(database: Database): Promise<number> {
  const [row] = await database.all<{ at: number }>(
    sql`select created_at as at from objects where parent_id is null`,
  )
  return row?.at ?? 0
}

/** The given values that a column has. */
export async function findValues(
  database: Database,
  { table, to }: { readonly table: string; readonly to: string },
  values: readonly unknown[],
): Promise<ReadonlySet<unknown>> {
  if (values.length === 0) return new Set()
  const rows = await database.all<{ found: unknown }>(sql`
    select value as found from ${eachOf(values)}
    where exists (select 1 from ${sql.identifier(table)} where ${sql.identifier(to)} = value)`)
  return new Set(rows.map(({ found }) => found))
}

/** Moves staged rows into their tables, beside the present rows, and enqueues the consequences. Fails for a used id. */
export function addStaged(
  database: Database,
  run: string,
  {
    sections,
    ids,
    parents,
    at,
  }: {
    readonly sections: readonly { readonly table: Table; readonly columns: readonly string[] }[]
    readonly ids: readonly number[]
    readonly parents: readonly number[]
    readonly at: number
  },
): Write[] {
  const these = elementsOf(ids)
  const now = sql`cast(${at} as integer)`
  return [
    ...sections.map(({ table, columns }) => insertStaged(database, run, table, columns)),
    database.run(sql`insert into states (object_id, seq, state, since_at)
      select o.id, 0, case when j.stopped then 'undefined' else coalesce(j.forced_state, 'ok') end, ${now}
      from objects o left join jobs j on j.id = o.id
      where o.id in ${these} and o.type in ('job', 'slc') on conflict (object_id) do nothing`),
    database.run(
      enqueue(queues.staleJobConfigs, sql`select id from objects where id in ${these} and type = 'job'`),
    ),
    database.run(
      enqueue(
        queues.staleTallies,
        sql`select id from objects
          where type <> 'job' and (id in ${these} or id in ${elementsOf(parents)}
            or id in (select parent_id from links where child_id in ${these}))`,
      ),
    ),
    database.run(
      enqueue(
        queues.staleMemberships,
        sql`select o.id, s.children_filter is not null from objects o left join slos s on s.id = o.id
          where o.id in ${these}`,
      ),
    ),
    database.run(enqueue(queues.staleMaintenance, sql`select id, ${now} from objects where id in ${these}`)),
  ]
}
