import type { Context } from '../../../context.ts'
import type { Row } from '../../../domain/table.ts'
import { invalidAt } from '../../../lib/errors.ts'
import type { Bound } from '../../../ports/databases.ts'
import type { Columns } from '../../filters/expression.ts'
import { readableQuery } from '../../queries/service/readable-query.ts'
import { readRows } from '../../selection/service/read-rows.ts'
import { readableTable } from '../../selection/service/readable-table.ts'
import type { Asking } from '../../selection/service/waited.ts'
import type { ZonedWriter } from '../../sql/dialects/writer.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { ClusterBody } from '../schema.ts'
import type { NumberColumn } from '../statement.ts'

const RESULT_MAX_BYTES = 32 * 1024 * 1024

/** The rows of a table or of a data query, as the caller may read them. */
export type SourceRows = {
  readonly columns: Columns
  readonly writer: ZonedWriter
  readonly from: Fragment
  /** The place of a field of the source in the request. */
  readonly at: (field: string) => string
  /** All rows of a statement. @throws {Refusal} of the ports `databases` and `tables` */
  read(statement: Bound, rowsMax: number): Promise<readonly Row[]>
}

type Source = Pick<ClusterBody, 'points'>['points'] | NonNullable<ClusterBody['links']>

/** @throws {Refusal} not_found, conflict for a data query that was never published, and the refusals of the ports `databases` and
 * `tables` */
export async function openRows(
  context: Context,
  source: Source,
  { at, asking }: Pick<SourceRows, 'at'> & { readonly asking: Asking },
): Promise<SourceRows> {
  if ('table' in source) {
    const readable = await readableTable(context, source.dataSourceId, source.table)
    const { columns, writer, from } = readable
    const read = async (statement: Bound, rowsMax: number) =>
      (await readRows(readable, statement, { ports: context.ports, rowsMax, asking })).value.rows
    return { columns, writer, from, at, read }
  }
  const { queryId: id, parameters: values } = source
  const { query, ...rest } = await readableQuery(context, { id, values, pointer: at('parameters') }, asking)
  return {
    ...rest,
    at,
    async read(statement, rowsMax) {
      const options = { rowsMax, bytesMax: RESULT_MAX_BYTES, onBackend: asking.onBackend }
      const batches = await Array.fromAsync((await query(statement, options, asking.signal)).rows)
      return batches.flat()
    },
  }
}

/** The name of a column. @throws {Refusal} invalid for one that the source does not have */
export function columnIn({ columns, at }: SourceRows, field: string, column: string): string {
  if (!columns.has(column)) throw invalidAt(at(field), `${column} is not a column`)
  return column
}

/** A column of numbers. In one of texts, those count that are numbers. @throws {Refusal} invalid */
export function numbersIn(rows: SourceRows, field: string, column: string): NumberColumn {
  const type = rows.columns.get(columnIn(rows, field, column))?.type
  if (type !== 'integer' && type !== 'number' && type !== 'string')
    throw invalidAt(rows.at(field), `${column} has the type ${type}; it must have numbers`)
  return { name: column, isText: type === 'string' }
}
