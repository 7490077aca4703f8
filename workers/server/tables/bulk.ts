import type { ImportPlan, PlainCsv } from '../../../src/domain/import-plan.ts'
import type { ColumnType } from '../../../src/domain/table.ts'
import { literal } from './sql.ts'
import { STORED_TYPES } from './values.ts'

/** The options with which DuckDB reads each file, in the order of its records. */
const OPTIONS = `auto_detect = false, quote = '"', max_line_size = 16777216, buffer_size = 33554432, parallel = false`
/** The options for CSV. */
export const READ_OPTIONS = `${OPTIONS}, escape = '"'`

/** The statement that selects the rows of a file, and the number of its rows. */
export type Bulk = { readonly select: string; readonly records: number }

/** The statement with which DuckDB reads a file whose inspection has found it to be plain. Null for other files, and where a type
 * was chosen of which not all values are known to be. */
export function bulkOf(plan: ImportPlan, path: string): Bulk | null {
  const { file, values, columns, plain } = plan
  if (file.kind === 'rows') return file.plainRows === null ? null : linesOf(columns, file.plainRows, path)
  if (!plain || file.kind !== 'csv' || file.skipRecords > 0) return null
  const types = typesOf(columns, plain)
  if (types === null) return null
  const read = types.map((type, index) => `c${index}: ${literal(STORED_TYPES[type])}`)
  const select = `SELECT ${columns.map(({ source }) => `c${source}`).join(', ')} FROM read_csv(${literal(path)},
    columns = {${read.join(', ')}}, header = ${file.hasHeader}, ${READ_OPTIONS}, delim = ${literal(file.delimiter)},
    new_line = ${plain.lineEnd === '\n' ? String.raw`'\n'` : String.raw`'\r\n'`},
    nullstr = [${values.nulls.map(literal).join(', ')}], allow_quoted_nulls = true)`
  return { select, records: plain.records }
}

/** The statement for lines that the service has written, all of whose values are plain. */
function linesOf(columns: ImportPlan['columns'], records: number, path: string): Bulk {
  const read = columns.map(({ type }, index) => `c${index}: ${literal(STORED_TYPES[type])}`)
  const select = `SELECT ${columns.map(({ source }) => `c${source}`).join(', ')} FROM read_csv(${literal(path)},
    columns = {${read.join(', ')}}, header = false, ${OPTIONS}, escape = '\\', delim = ',', new_line = '\\n',
    nullstr = 'null', allow_quoted_nulls = false)`
  return { select, records }
}

/** The type in which each column of the file is read. */
function typesOf(columns: ImportPlan['columns'], plain: PlainCsv): readonly ColumnType[] | null {
  const types: ColumnType[] = plain.types.map(() => 'string')
  const taken = new Set<number>()
  for (const { source, type } of columns) {
    const isKnown = type === 'string' || type === plain.types[source]
    if (!isKnown || taken.has(source)) return null
    taken.add(source)
    types[source] = type
  }
  return types
}
