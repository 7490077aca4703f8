import type { Row } from '../../../domain/table.ts'
import { sha256 } from '../../../lib/digest.ts'
import { onceFor } from '../../../lib/once-for.ts'
import type { Bound } from '../../../ports/databases.ts'
import type { Ports } from '../../../ports/index.ts'
import { ResultCache } from '../result-cache.ts'
import type { Found } from '../result-cache.ts'
import type { ReadableTable } from './readable-table.ts'
import type { Asking } from './waited.ts'

const RESULT_MAX_BYTES = 32 * 1024 * 1024
const CACHE_MAX_BYTES = 32 * 1024 * 1024
const ROW_BYTES = 32
const CELL_BYTES = 16

/** The rows of a statement, and for each column whether its numbers may be text. */
export type Result = { readonly rows: readonly Row[]; readonly exact: readonly boolean[] }

type Reading = { readonly ports: Ports; readonly rowsMax: number; readonly asking: Asking }

const cacheOf = onceFor((_ports: Ports) => new ResultCache<Result>(CACHE_MAX_BYTES, bytesOf))

/** All rows of a statement, which is run once for equal requests. @throws {Refusal} of the ports `databases` and `tables` */
export async function readRows(
  { query, shared }: Pick<ReadableTable, 'query' | 'shared'>,
  statement: Bound,
  { ports, rowsMax, asking }: Reading,
): Promise<Found<Result>> {
  return cacheOf(ports).find({
    name: await sha256(JSON.stringify([shared.key, rowsMax, statement])),
    ageMaxMs: shared.ageMaxMs,
    now: () => ports.clock.now(),
    signal: asking.signal,
    async compute() {
      const options = { rowsMax, bytesMax: RESULT_MAX_BYTES, onBackend: asking.onBackend }
      const stream = await query(statement, options, asking.signal)
      const rows: Row[] = []
      const reader = stream.rows.getReader()
      for (let batch = await reader.read(); !batch.done; batch = await reader.read())
        rows.push(...batch.value)
      return { rows, exact: stream.columns.map(({ isExact }) => isExact) }
    },
  })
}

/** About as many bytes as a result takes in memory. */
export function bytesOf({ rows }: Pick<Result, 'rows'>): number {
  let bytes = 0
  for (const row of rows) {
    bytes += ROW_BYTES
    for (const cell of row) bytes += CELL_BYTES + (typeof cell === 'string' ? cell.length * 2 : 0)
  }
  return bytes
}
