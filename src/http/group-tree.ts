import { invalidAt, nameTaken, Refusal, stale } from '../lib/errors.ts'
import { isCircle, isForeignKeyViolation, isNotNullViolation, isUniqueViolation } from '../ports/database.ts'

/** A table of groups in groups. A change of a group empties its `version` where it has another version than the one that was
 * read. */
type GroupTable = 'data_query_groups' | 'dashboard_groups'

/** Runs the commit that creates or changes a group.
 * @throws {Refusal} precondition_failed, name_taken, invalid for a parent that does not exist, cycle for a parent that is the
 * group itself or below it */
export async function writeGroup<Result>(table: GroupTable, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
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
  return isUniqueViolation(error, `${table}.name`) ? nameTaken('group of this parent') : error
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
