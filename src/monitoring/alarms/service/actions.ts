import { retryOnConflict } from '../../../lib/retry.ts'
import { commit } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { AlarmChange, AlarmEvent } from '../alarm.ts'
import { stepRow } from '../pass.ts'
import * as store from '../store.ts'
import type { AlarmRow, ChangedAlarm } from '../store.ts'

/** An action on alarms. */
export type Act = {
  readonly eventsOf: (row: AlarmRow) => readonly AlarmEvent[]
  readonly also: (changed: readonly AlarmRow[]) => readonly Write[]
}

/** Applies events to each alarm, in one commit with the writes that `also` returns for the changed alarms.
 * @returns the existing alarms after the action */
export async function act(
  database: Database,
  ids: readonly number[],
  { eventsOf, also }: Act,
): Promise<readonly AlarmRow[]> {
  return retryOnConflict(store.isOvertaken, async () => {
    const after = (await store.readAlarms(database, ids)).map((row) => taking(row, eventsOf(row)))
    const told = after.filter(({ changes }) => changes.length > 0)
    const rows = after.map(({ row }) => row)
    if (told.length === 0) return rows
    const changed = told.map(({ row }) => row)
    await commit(database, [...store.saveAlarms(database, told), ...also(changed)])
    return rows
  })
}

function taking(before: AlarmRow, events: readonly AlarmEvent[]): ChangedAlarm {
  let row = before
  const changes: AlarmChange[] = []
  for (const event of events) {
    const step = stepRow(row, event)
    row = step.row
    changes.push(...step.changes)
  }
  return { row, changes }
}
