import type { Row } from '../../../domain/table.ts'
import type { Bound } from '../../../ports/databases.ts'
import type { ReadableTable } from './readable-table.ts'
import type { Asking } from './waited.ts'

const RESULT_MAX_BYTES = 32 * 1024 * 1024

/** All rows of a statement, and for each column whether its numbers may be text.
 * @throws {Refusal} of the ports `databases` and `tables` */
export async function readRows(
  { query }: Pick<ReadableTable, 'query'>,
  statement: Bound,
  { rowsMax, asking }: { readonly rowsMax: number; readonly asking: Asking },
): Promise<{ readonly rows: readonly Row[]; readonly exact: readonly boolean[] }> {
  const options = { rowsMax, bytesMax: RESULT_MAX_BYTES, onBackend: asking.onBackend }
  const stream = await query(statement, options, asking.signal)
  const rows: Row[] = []
  const reader = stream.rows.getReader()
  for (let batch = await reader.read(); !batch.done; batch = await reader.read()) rows.push(...batch.value)
  return { rows, exact: stream.columns.map(({ isExact }) => isExact) }
}
