import { expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { rejection } from '../contract/rejection.ts'
import { openPorts } from './ports.ts'

test('a database of tests refuses a statement with 101 bound parameters, alone and in a batch, as D1 does', async () => {
  const opened = await openPorts()
  const { database } = opened.ports
  const marks = (count: number) =>
    sql`select 1 as one where 1 in (${sql.join(
      Array.from({ length: count }, (_, index) => sql`${index}`),
      sql`, `,
    )})`
  expect(await database.all<{ one: number }>(marks(100))).toEqual([{ one: 1 }])
  expect(await database.batch([database.run(marks(100))])).toHaveLength(1)
  for (const run of [() => database.all(marks(101)), () => database.batch([database.run(marks(101))])])
    expect(causesOf(await rejection(Promise.resolve().then(run)))).toContain('D1 accepts 100')
  await opened.close()
})

/** The error and its causes: Drizzle wraps that of a single statement. */
function causesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${causesOf(error.cause)}` : ''
}
