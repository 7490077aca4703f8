import type { Database } from '../../src/ports/database.ts'

/** Puts an open alarm of the root group into the system database, unless it is there. */
export async function insertAlarm(database: Database, id = 1): Promise<void> {
  await database.run(
    `insert or ignore into alarms (id, object_id, link_id, opened_seq, status, state, worst_state, begin_at, reason, sticky,
       maintained, flapping, version)
     values (${id}, 1, ${id}, ${id}, 'open', 'major', 'major', 0, 'delivery', 0, 0, 0, 1)`,
  )
}
