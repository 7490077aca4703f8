import type { Context } from '../../../context.ts'
import type { Row } from '../../../domain/table.ts'
import { invalidAt, refusalIn } from '../../../lib/errors.ts'
import { resultReader } from '../cells.ts'
import { csvWriting, ndjsonWriting } from '../formats.ts'
import type { ExportType, Writing } from '../formats.ts'
import { planOf } from '../plan.ts'
import { EXPORT_ROWS_MAX } from '../schema.ts'
import type { SelectBody } from '../schema.ts'
import { statementsOf } from '../statement.ts'
import { readableTable } from './readable-table.ts'

export type Export = {
  readonly id: number
  readonly table: string
  readonly body: SelectBody
  readonly type: ExportType
  /** Whether CSV has no text that a spreadsheet reads as a formula. */
  readonly isForExcel: boolean
}

/** Streams a result at the pace of its reader: at most a few thousand rows are in memory. When the reader leaves, the
 * statement ends. A failure before the first rows is thrown; a later one is logged, written and breaks the stream.
 * @throws {Refusal} not_found, invalid, and the refusals of the ports `databases` and `tables` */
export async function exportSelection(
  context: Context,
  { id, table, body, type, isForExcel }: Export,
): Promise<ReadableStream<Uint8Array>> {
  const { ports, request } = context
  if (body.total === 'exact') throw invalidAt('/total', 'is for results in JSON')
  if (request) ports.network.takesLong(request)
  const readable = await readableTable(context, id, table)
  const limit = body.limit ?? EXPORT_ROWS_MAX
  const plan = planOf(body, { columns: readable.columns, timeZone: ports.settings.timeZone, limit })
  const statement = statementsOf(plan, readable.from, readable.writer).rows(body.limit === undefined ? 1 : 0)
  const { columns, row } = resultReader(plan)
  const writing = type === 'text/csv' ? csvWriting(columns, isForExcel) : ndjsonWriting(columns)
  const { rows } = await readable.query(
    statement,
    { rowsMax: limit, bytesMax: Number.MAX_SAFE_INTEGER },
    request?.signal ?? new AbortController().signal,
  )
  const reader = rows.getReader()
  const next = async () => {
    const { value } = await reader.read()
    return value?.map(row) ?? null
  }
  const leave = (reason: unknown) => reader.cancel(reason)
  return written({ first: await next(), next, leave }, writing, context)
}

type Batches = {
  readonly first: readonly Row[] | null
  /** Null behind the last rows. */
  readonly next: () => Promise<readonly Row[] | null>
  readonly leave: (reason: unknown) => Promise<void>
}

function written(
  { first, next, leave }: Batches,
  { head, rows, brokenOff }: Writing,
  { ports: { log }, request, requestId }: Context,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let batch = first
  let before = head
  let failure: unknown = null
  let hasLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // An error drops chunks that were not read; at the next pull the last record was.
        if (failure !== null) return controller.error(failure)
        try {
          const text = before + (batch ? rows(batch) : '')
          if (text !== '') controller.enqueue(encoder.encode(text))
          before = ''
          if (batch) batch = await next()
          if (!batch) controller.close()
        } catch (error) {
          if (hasLeft || request?.signal.aborted === true) return controller.error(error)
          log.warn('selection: an export broke off', { reason: String(error), requestId })
          failure = error
          controller.enqueue(encoder.encode(brokenOff(reasonOf(error))))
        }
      },
      cancel: (reason) => {
        hasLeft = true
        return leave(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function reasonOf(error: unknown): string {
  const refusal = refusalIn(error)
  return refusal ? `${refusal.code}: ${refusal.detail}` : 'internal: Internal error. See the server log.'
}
