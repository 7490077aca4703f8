import { commit } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { AlarmChange, AlarmEvent } from '../alarm.ts'
import { stepRow } from '../pass.ts'
import * as store from '../store.ts'
import type { AlarmRow, ChangedAlarm } from '../store.ts'

/** Attempts when the alarms are changed concurrently. */
const TRIES_MAX = 20

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
  for (let tries = 1; ; tries++) {
    const after = (await store.readAlarms(database, ids)).map((row) => taking(row, eventsOf(row)))
    const told = after.filter(({ changes }) => changes.length > 0)
    const rows = after.map(({ row }) => row)
    if (told.length === 0) return rows
    const changed = told.map(({ row }) => row)
    try {
      await commit(database, [...store.saveAlarms(database, told), ...also(changed)])
      return rows
    } catch (error) {
      if (!store.isOvertaken(error) || tries === TRIES_MAX) throw error
    }
  }
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
