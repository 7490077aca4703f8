import type { Context } from '../../../context.ts'
import type { Columns } from '../../filters/expression.ts'
import { conditionSql } from '../../filters/emit.ts'
import { sightedTable } from '../../scopes/service/sighted.ts'
import { readSight } from '../../scopes/service/sights.ts'
import { sightHash } from '../../scopes/sight.ts'
import type { Sight } from '../../scopes/sight.ts'
import { isFileSource } from '../../sources/schema.ts'
import { requireSource } from '../../sources/service.ts'
import { openReader, timeLimitOf } from '../../sources/service/connect.ts'
import type { SourceReader } from '../../sources/service/connect.ts'
import type { ZonedWriter } from '../../sql/dialects/writer.ts'
import { writerIn } from '../../sql/dialects/writers.ts'
import { boundOf, joined, name, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'

const LIVE_AGE_MAX_MS = 1_000

/** A table as its caller may read it. Every read of rows goes through one. */
export type ReadableTable = {
  readonly columns: Columns
  readonly writer: ZonedWriter
  /** The rows and columns that the caller may read. */
  readonly from: Fragment
  readonly query: SourceReader['query']
  readonly shared: Sharing
}

/** Which tables answer equal statements alike. */
export type Sharing = {
  /** It has the rows and columns that the caller may read. */
  readonly key: string
  /** How old an answer may be; null where the rows never change. */
  readonly ageMaxMs: number | null
}

/** @param find the part of an imported table that the caller may read
 * @throws {Refusal} not_found, and the refusals of the ports `databases` and `tables` */
export async function readableTable(
  context: Context,
  id: number,
  table: string,
  find = readSight,
): Promise<ReadableTable> {
  const source = await requireSource(context.ports, id)
  if (isFileSource(source.type)) return importedTable(context, { id, table, source, find })
  const sight = await readSight(context, id, table)
  const reader = await openReader(context, id)
  const writer = writerIn(reader.dialect, context.ports.settings.timeZone)
  const relation = reader.schema === null ? name(table) : sql`${name(reader.schema)}.${name(table)}`
  return {
    shared: { key: `${reader.key} ${await sightHash(sight)}`, ageMaxMs: freshness(context, LIVE_AGE_MAX_MS) },
    columns: columnsOf(sight),
    writer,
    from: visible(relation, sight, writer),
    query: (statement, options, signal) => reader.query(statement, options, signal),
  }
}

type Imported = {
  readonly id: number
  readonly table: string
  readonly source: { readonly timeoutMs: number }
  readonly find: typeof readSight
}

/** The statement runs over a view that has no other rows and columns: nothing else of the table can be named. */
async function importedTable(
  context: Context,
  { id, table, source, find }: Imported,
): Promise<ReadableTable> {
  const { ports } = context
  const { tables, settings } = ports
  const { opened, sight } = await sightedTable(context, { id, table }, find)
  const writer = writerIn(tables.dialect, settings.timeZone)
  const view = {
    name: table,
    of: opened.generation,
    columns: sight.columns.map((column) => column.name),
    where: sight.rows && boundOf(conditionSql(sight.rows, writer), writer),
  }
  const timeoutMs = timeLimitOf(source)
  const key = JSON.stringify([opened.generation, table])
  return {
    shared: { key: `${key} ${await sightHash(sight)}`, ageMaxMs: freshness(context, null) },
    columns: columnsOf(sight),
    writer,
    from: name(table),
    query(statement, { rowsMax, bytesMax }, signal) {
      const query = { views: [view], statement, timeZone: settings.timeZone, isGenerated: true }
      return tables.query(query, { timeoutMs, rowsMax, bytesMax }, signal)
    },
  }
}

/** No answer is young enough for a request with `Cache-Control: no-cache` (RFC 9111 section 5.2.1.4). */
export function freshness<Age extends number | null>({ request }: Context, ageMaxMs: Age): Age | 0 {
  return /\bno-cache\b/i.test(request?.headers.get('cache-control') ?? '') ? 0 : ageMaxMs
}

function columnsOf(sight: Sight): Columns {
  return new Map(sight.columns.map((column) => [column.name, column]))
}

function visible(relation: Fragment, { columns, rows }: Sight, writer: ZonedWriter): Fragment {
  if (!rows) return relation
  const names = joined(
    columns.map((column) => name(column.name)),
    ', ',
  )
  return sql`(SELECT ${names} FROM ${relation} WHERE ${conditionSql(rows, writer)}) AS ${name('t')}`
}
