import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jobs } from '../../../db/tables/jobs.ts'
import type { Database } from '../../ports/database.ts'
import type { Found, Wish } from './mapping.ts'

/** A parameter stays below 1 MB: this many UTF-16 units, of at most three bytes. */
const PARAMETER_MAX = 300_000

type Row = { readonly place: number; readonly valueCount: number; readonly position: number | null }

/** The values of the jobs for each wish, in order; undefined if there is no such job. One query, or a few for many long
 * names.
 * @param readable a condition on the job, `o` */
export async function findValues(
  database: Database,
  wishes: readonly Wish[],
  readable: SQL,
): Promise<readonly (Found | undefined)[]> {
  const found = await Promise.all(slices(wishes).map((slice) => findSlice(database, slice, readable)))
  return found.flat()
}

async function findSlice(
  database: Database,
  wishes: readonly string[],
  readable: SQL,
): Promise<readonly (Found | undefined)[]> {
  const found: (Found | undefined)[] = wishes.map(() => undefined)
  const rows = await database.all<Row>(sql`
    select wish.key as place,
      json_array_length(${jobs.parameters}, '$.returnValue') as "valueCount",
      (select min(value.key) from json_each(${jobs.parameters}, '$.returnValue') as value
        where value.value ->> 'valueName' = wish.value ->> 1) as position
    from json_each(${`[${wishes.join(',')}]`}) as wish
    join ${jobs} on ${jobs.id} = cast(wish.value ->> 0 as integer)
    join objects o on o.id = ${jobs.id} and ${readable}`)
  for (const { place, valueCount, position } of rows)
    found[place] = { valueCount, valueNumber: position === null ? null : position + 1 }
  return found
}

/** The wishes as JSON, in pieces that fit into one parameter. */
function slices(wishes: readonly Wish[]): string[][] {
  const all: string[][] = []
  let room = 0
  for (const { jobId, name } of wishes) {
    const text = JSON.stringify([jobId, name])
    if (room < text.length) {
      all.push([])
      room = PARAMETER_MAX
    }
    all.at(-1)?.push(text)
    room -= text.length + 1
  }
  return all
}
