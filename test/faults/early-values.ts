import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { valuesInObject as inObject } from '../../workers/edge/values.ts'

const EARLY_MS = 50

/** A fault of a WAL: it resolves first and writes later. */
export function valuesInObject(storage: DurableObjectStorage): ValuesDatabase {
  return acknowledgingEarly(inObject(storage))
}

export function acknowledgingEarly(values: ValuesDatabase): ValuesDatabase {
  let written = Promise.resolve()
  return {
    read: (statement) => values.read(statement),
    commit(statements) {
      if (!statements[0]?.sql.startsWith('insert into journal')) return values.commit(statements)
      written = written.then(pause).then(() => values.commit(statements))
      return Promise.resolve()
    },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, EARLY_MS))
}
