import { sql } from 'drizzle-orm'
import { states } from '../../../db/tables/monitoring.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State, Transition } from '../../ports/job-actors.ts'

/** Adds transitions that are not there yet; those of objects that are gone are left out. */
export function insertTransitions(database: Database, transitions: readonly Transition[]): Write {
  return database.run(sql`
    insert or ignore into transitions
      (object_id, seq, at, detected_at, from_state, to_state, reason, error_code, message, silent_since_at)
    select value ->> 'objectId', value ->> 'seq', value ->> 'at', value ->> 'detectedAt', value ->> 'from',
           value ->> 'to', value ->> 'reason', value ->> 'errorCode', value ->> 'message', value ->> 'silentSinceAt'
    from json_each(${JSON.stringify(transitions)})
    where exists (select 1 from objects where id = value ->> 'objectId')`)
}

/** Brings the current state of each object up to its latest transition; an older one changes nothing. */
export function updateStates(database: Database, transitions: readonly Transition[]): Write {
  return database.run(sql`
    insert into states (object_id, seq, state, since_at)
    select value ->> 'objectId', value ->> 'seq', value ->> 'to', value ->> 'at'
    from json_each(${JSON.stringify(transitions)})
    where exists (select 1 from objects where id = value ->> 'objectId')
    order by value ->> 'seq'
    on conflict (object_id) do update set seq = excluded.seq, state = excluded.state, since_at = excluded.since_at
    where excluded.seq > states.seq`)
}

/** The state of an object that was just made, under its placeholder path. */
export function insertFirstState(
  database: Database,
  input: { path: string; state: State; sinceAt: number },
): Write {
  return database.insert(states).values({
    objectId: sql`(select id from objects where path = ${input.path})`,
    seq: 0,
    state: input.state,
    sinceAt: input.sinceAt,
  })
}
