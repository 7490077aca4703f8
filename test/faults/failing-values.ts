import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { valuesInObject as inObject } from '../../workers/edge/values.ts'

const WAKE_FAILURES = 8
const ALARM_PAUSE_MS = 100

/** A message that no storage takes. */
const POISON = '"the storage fails"'

let wakeFailures = 0

/** The storage of an object that fails on purpose: on a message, and on the first times that a deadline is noticed.
 * Alarms that are set again after a failure come sooner than they would, so that a test need not wait for them. */
export function valuesInObject(storage: DurableObjectStorage): ValuesDatabase {
  const values = inObject(storage)
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (at, options) =>
    setAlarm(wakeFailures > 0 ? Math.min(Number(at), Date.now() + ALARM_PAUSE_MS) : at, options)
  return {
    read: (statement) => values.read(statement),
    async commit(statements) {
      const entries = statements.map(({ cells }) => String(cells[1])).join()
      if (entries.includes(POISON)) throw new Error('The storage fails.')
      if (/,"(?:w"\]|x",)/.test(entries) && wakeFailures < WAKE_FAILURES) {
        wakeFailures++
        throw new Error(`The storage fails for the ${wakeFailures}. time.`)
      }
      await values.commit(statements)
    },
  }
}
