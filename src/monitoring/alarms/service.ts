import type { Database } from '../../ports/database.ts'
import { readChangesAfter } from './store/changes.ts'
import type { ChangeRow } from './store/changes.ts'

export type { ChangeRow } from './store/changes.ts'
export { act } from './service/acting.ts'
export { advanceAlarms, raiseAlarms } from './service/raising.ts'
export { closeBelow, closeOfLinks, tidyAlarms } from './store/changes.ts'

/** What happened to alarms after a change, in the order in which it was kept; `limit` of it at most. Whoever reads on after
 * the last one it has seen misses nothing. */
export function changesAfter(database: Database, id: number, limit: number): Promise<readonly ChangeRow[]> {
  return readChangesAfter(database, id, limit)
}
