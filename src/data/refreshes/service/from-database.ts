import type { Context } from '../../../context.ts'
import type { Row } from '../../../domain/table.ts'
import type { Bound } from '../../../ports/databases.ts'
import { conditionSql } from '../../filters/emit.ts'
import { conditionOf } from '../../filters/filter.ts'
import { openReader } from '../../sources/service/connect.ts'
import type { SourceReader } from '../../sources/service/connect.ts'
import { writerIn } from '../../sql/dialects/writers.ts'
import { boundOf, joined, name, raw, sql } from '../../sql/fragment.ts'
import { fillGeneration } from '../../tables/service.ts'
import type { ForeignOrigin } from '../store.ts'
import { READ_SHARE } from './filling.ts'
import type { Course, Filling, FillRows } from './filling.ts'

/** Opens the rows of a table of a database. @throws {Refusal} of the port `databases` */
export async function openForeignRows(
  context: Context,
  origin: ForeignOrigin,
  { limits, rowsBefore }: Filling,
  { signal, progress }: Course,
): Promise<FillRows> {
  const reader = await openReader(context, origin.dataSourceId)
  const { rows: source } = await reader.query(
    statementOf(origin, reader, context.ports.settings.timeZone),
    limits,
    signal,
  )
  const { columns } = origin
  const rows = counted(source, (count) => progress(READ_SHARE * (1 - 1 / (1 + count / (rowsBefore + 1)))))
  return (to) =>
    fillGeneration(context.ports, { to, columns, rows }, signal, (share) =>
      progress(READ_SHARE + share * (1 - READ_SHARE)),
    )
}

/** The same batches; `tell` gets the number of rows so far after each. */
export async function* counted(
  batches: AsyncIterable<readonly Row[]>,
  tell: (count: number) => void,
): AsyncGenerator<readonly Row[], void> {
  let count = 0
  for await (const rows of batches) {
    yield rows
    tell((count += rows.length))
  }
}

/** The columns and rows that are copied. */
function statementOf(
  { table, columns, filter }: ForeignOrigin,
  { dialect, schema }: Pick<SourceReader, 'dialect' | 'schema'>,
  timeZone: string,
): Bound {
  const writer = writerIn(dialect, timeZone)
  const relation = schema === null ? name(table) : sql`${name(schema)}.${name(table)}`
  const names = joined(
    columns.map((column) => name(column.name)),
    ', ',
  )
  const byName = new Map(columns.map((column) => [column.name, column]))
  const where = filter
    ? sql` WHERE ${conditionSql(conditionOf(filter, byName, '/from/filter'), writer)}`
    : raw('')
  return boundOf(sql`SELECT ${names} FROM ${relation}${where}`, writer)
}
