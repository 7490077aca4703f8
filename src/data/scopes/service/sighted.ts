import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { openTable } from '../../tables/service.ts'
import type { OpenTable } from '../../tables/service.ts'
import type { Sight } from '../sight.ts'
import type { Sighted } from './sights.ts'

const TRIES_MAX = 5

/** Opens a table before its scopes are read, so that rows that came after a change of a scope are not read by the scope of
 * before. The table must have its name and columns before and after that: a scope names its tables.
 * @throws {Refusal} not_found, conflict if the table changes again and again, and as `find` */
export async function sightedTable(
  context: Context,
  { id, table }: { readonly id: number; readonly table: string },
  find: (context: Context, id: number, table: string) => Promise<Sight>,
): Promise<Sighted> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const opened = await openTable(context.ports, id, table)
    const sight = await find(context, id, table)
    const now = await openTable(context.ports, id, table)
    if (!now) throw noSuch('table')
    if (opened && isSame(opened, now)) return { opened, sight }
  }
  throw new Refusal('conflict', 'The table changes all the time. Try again later.')
}

function isSame(one: OpenTable, other: OpenTable): boolean {
  return one.id === other.id && JSON.stringify(one.columns) === JSON.stringify(other.columns)
}
