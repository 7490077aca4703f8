import { Refusal } from '../../lib/errors.ts'
import type { Database } from '../../ports/database.ts'
import { isNeededError, listRecipientsOf } from './store.ts'
import type { Base } from './store.ts'

export { unlessNeeded } from './store.ts'

const SHOWN_MAX = 20

/** Runs the commit of a removal, which has `unlessNeeded` of all `bases` among its writes.
 * @throws {Refusal} has_dependents, with their names, while recipients of alarms refer to it: their alarms would have no receiver */
export async function refuseWhileNeeded<Result>(
  database: Database,
  bases: Base | readonly Base[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isNeededError(error)) throw error
    const recipients = await Promise.all(
      [bases].flat().map((base) => listRecipientsOf(database, base, SHOWN_MAX)),
    )
    const faults = recipients
      .flat()
      .slice(0, SHOWN_MAX)
      .map(({ id, name }, index) => ({
        pointer: `/dependents/${index}`,
        message: `the alarm recipient ${id}, ${name}`,
      }))
    const detail =
      'Alarm recipients depend on this and would reach no one without it; see errors. Change or delete these first.'
    throw new Refusal('has_dependents', detail, faults)
  }
}
