import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../db/lists.ts'
import { jobs } from '../../../db/tables/jobs.ts'
import type { Database } from '../../ports/database.ts'
import type { Found, Wish } from './mapping.ts'

type Row = { readonly place: number; readonly valueCount: number; readonly position: number | null }

/** The values of the jobs for each wish, in order; undefined if there is no such job. One query, or a few for many long
 * names.
 * @param readable a condition on the job, `o` */
export async function findValues(
  database: Database,
  wishes: readonly Wish[],
  readable: SQL,
): Promise<readonly (Found | undefined)[]> {
  const found = await Promise.all(partsOf(wishes).map((part) => findPart(database, part, readable)))
  return found.flat()
}

async function findPart(
  database: Database,
  wishes: readonly Wish[],
  readable: SQL,
): Promise<readonly (Found | undefined)[]> {
  const found: (Found | undefined)[] = wishes.map(() => undefined)
  const rows = await database.all<Row>(sql`
    select wish.key as place,
      json_array_length(${jobs.parameters}, '$.returnValue') as "valueCount",
      (select min(value.key) from json_each(${jobs.parameters}, '$.returnValue') as value
        where value.value ->> 'valueName' = wish.value ->> 1) as position
    from ${eachOf(wishes.map(({ jobId, name }) => [jobId, name]))} as wish
    join ${jobs} on ${jobs.id} = cast(wish.value ->> 0 as integer)
    join objects o on o.id = ${jobs.id} and ${readable}`)
  for (const { place, valueCount, position } of rows)
    found[place] = { valueCount, valueNumber: position === null ? null : position + 1 }
  return found
}
