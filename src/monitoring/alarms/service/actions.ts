import { retryOnConflict } from '../../../lib/retry.ts'
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

/** The alarms that exist, as the action left them, and what the writes of `also` returned. */
export type Acted = { readonly rows: readonly AlarmRow[]; readonly returned: readonly unknown[] }

/** Applies events to each alarm, in one commit with the writes that `also` returns for the changed alarms. */
export async function act(
  database: Database,
  ids: readonly number[],
  { eventsOf, also }: Act,
): Promise<Acted> {
  return retryOnConflict(store.isOvertaken, async () => {
    const after = (await store.readAlarms(database, ids)).map((row) => taking(row, eventsOf(row)))
    const told = after.filter(({ changes }) => changes.length > 0)
    const rows = after.map(({ row }) => row)
    if (told.length === 0) return { rows, returned: [] }
    const changed = told.map(({ row }) => row)
    const [save, ...marks] = store.saveAlarms(database, told)
    if (!save) throw new Error('Changed alarms have nothing to save.')
    const results: readonly unknown[] = await database.batch([save, ...marks, ...also(changed)])
    const [saved, ...others] = results
    // An object that was deleted since the read has taken its alarms with it.
    const savedIds = new Set((saved as readonly { savedId: number }[]).map(({ savedId }) => savedId))
    const isLost = new Set(changed.flatMap(({ id }) => (savedIds.has(id) ? [] : [id])))
    return { rows: rows.filter(({ id }) => !isLost.has(id)), returned: others.slice(marks.length) }
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
