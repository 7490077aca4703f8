import type { ImportPlan, PlainCsv } from '../../../src/domain/import-plan.ts'
import type { ColumnType } from '../../../src/domain/table.ts'
import { literal } from './sql.ts'
import { STORED_TYPES } from './values.ts'

/** How DuckDB reads each CSV file, in the order of its records. */
export const READ_OPTIONS = `auto_detect = false, quote = '"', escape = '"', max_line_size = 16777216,
  buffer_size = 33554432, parallel = false`

/** The statement that selects the rows of a file, and how many it has. */
export type Bulk = { readonly select: string; readonly records: number }

/** The statement with which DuckDB reads a file whose inspection has found it to be plain. Null for other files, and where a type
 * was chosen of which not all values are known to be. */
export function bulkOf({ file, values, columns, plain }: ImportPlan, path: string): Bulk | null {
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
