import type { InStatement } from '@libsql/client'

import type { Libsql } from '../../workers/server/libsql.ts'

/** D1 refuses statements with more bound parameters; libSQL takes 32,766. */
const PARAMETERS_MAX = 100

/** The database refuses statements with more bound parameters than D1 accepts, so that tests on libSQL find them. */
export function limitParameters({ client }: Pick<Libsql, 'client'>): void {
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- `bind` has the type of the other overload
  const execute = client.execute.bind(client) as (statement: InStatement) => ReturnType<typeof client.execute>
  const batch = client.batch.bind(client)
  client.execute = async (statement: InStatement) => {
    check(statement)
    return execute(statement)
  }
  client.batch = async (statements, mode) => {
    for (const statement of statements)
      check(Array.isArray(statement) ? { sql: statement[0], args: statement[1] ?? [] } : statement)
    return batch(statements, mode)
  }
}

/** @throws {RangeError} */
function check(statement: InStatement): void {
  if (typeof statement === 'string') return
  const count = Object.keys(statement.args ?? []).length
  if (count > PARAMETERS_MAX)
    throw new RangeError(`D1 accepts ${PARAMETERS_MAX} bound parameters, not ${count}: ${statement.sql}`)
}
