import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { valuesInObject as inObject } from '../../workers/edge/values.ts'

/** Messages after whose commit nothing more happens in their object. */
export const DIES = 'dies after the commit'
export const DIES_WITHOUT_ALARM = 'dies without an alarm'

/** The storage of an object that dies as soon as a commit is durable; after the second message without any alarm. */
export function valuesInObject(storage: DurableObjectStorage): ValuesDatabase {
  const values = inObject(storage)
  return {
    read: (statement) => values.read(statement),
    async commit(statements) {
      const entries = statements.map(({ cells }) => String(cells[1])).join()
      await values.commit(statements)
      const isAlarmless = entries.includes(DIES_WITHOUT_ALARM)
      if (isAlarmless) {
        await storage.deleteAlarm()
        await storage.sync()
      }
      if (isAlarmless || entries.includes(DIES)) await new Promise(() => undefined)
    },
  }
}
