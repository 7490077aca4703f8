import { invalidAt, Refusal, stale } from '../lib/errors.ts'
import {
  commitAndRead,
  isCircle,
  isForeignKeyViolation,
  isNotNullViolation,
  isUniqueViolation,
} from '../ports/database.ts'
import type { Write } from '../ports/database.ts'
import type { Ports } from '../ports/index.ts'

/** A table of groups in groups. A change of a group empties its `version` where it has another version than the one that was
 * read. */
type GroupTable = 'data_query_groups' | 'dashboard_groups'

/** Commits the creation or a change of a group. @returns what `reads` found in the same commit
 * @throws {Refusal} precondition_failed, name_taken, invalid for a parent that does not exist, cycle for a parent that is the
 * group itself or below it */
export async function commitGroup(
  { database }: Pick<Ports, 'database'>,
  table: GroupTable,
  writes: readonly Write[],
  reads: readonly Write[] = [],
): Promise<readonly unknown[]> {
  try {
    const found: readonly unknown[] = await commitAndRead(database, writes, reads)
    return found
  } catch (error) {
    throw refusalOf(error, table)
  }
}

function refusalOf(error: unknown, table: GroupTable): unknown {
  if (isNotNullViolation(error, `${table}.version`)) return stale('group')
  if (isForeignKeyViolation(error)) return invalidAt('/parentId', 'must be the id of an existing group')
  if (isCircle(error, table))
    return new Refusal('cycle', 'A group cannot be moved into itself or a group below it.', [
      { pointer: '/parentId', message: 'is the group or a group below it' },
    ])
  if (!isUniqueViolation(error, `${table}.name`)) return error
  return new Refusal('name_taken', 'Another group of this parent has this name.', [
    { pointer: '/name', message: 'is already used' },
  ])
}

type Placed = { readonly id: number; readonly parentId: number | null }

/** The ids of a group and of all groups below it, the group first. */
export function idsBelow(groups: Iterable<Placed>, id: number): readonly number[] {
  const children = Map.groupBy(groups, ({ parentId }) => parentId)
  const ids = [id]
  // The list grows while it is read.
  for (const parent of ids) for (const child of children.get(parent) ?? []) ids.push(child.id)
  return ids
}
