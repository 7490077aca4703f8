import type { Context } from '../../../context.ts'
import type { Columns } from '../../filters/expression.ts'
import { conditionSql } from '../../filters/emit.ts'
import { readSight } from '../../scopes/service/sights.ts'
import type { Sight } from '../../scopes/sight.ts'
import { openReader } from '../../sources/service/connect.ts'
import type { SourceReader } from '../../sources/service/connect.ts'
import type { Writer } from '../../sql/dialects/writer.ts'
import { WRITERS } from '../../sql/dialects/writers.ts'
import { joined, name, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'

/** A table as its caller may read it. Every read of rows goes through one. */
export type ReadableTable = {
  readonly columns: Columns
  readonly writer: Writer
  /** The rows and columns that the caller may read. */
  readonly from: Fragment
  readonly query: SourceReader['query']
}

/** @throws {Refusal} not_found, and the refusals of the port `databases` */
export async function readableTable(context: Context, id: number, table: string): Promise<ReadableTable> {
  const reader = await openReader(context, id)
  const sight = await readSight(context, id, table)
  const writer = WRITERS[reader.dialect]
  const relation = reader.schema === null ? name(table) : sql`${name(reader.schema)}.${name(table)}`
  return {
    columns: new Map(sight.columns.map((column) => [column.name, column])),
    writer,
    from: visible(relation, sight, writer),
    query: (statement, options, signal) => reader.query(statement, options, signal),
  }
}

function visible(relation: Fragment, { columns, rows }: Sight, writer: Writer): Fragment {
  if (!rows) return relation
  const names = joined(
    columns.map((column) => name(column.name)),
    ', ',
  )
  return sql`(SELECT ${names} FROM ${relation} WHERE ${conditionSql(rows, writer)}) AS ${name('t')}`
}
