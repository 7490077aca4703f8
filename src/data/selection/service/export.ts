import { signalOf } from '../../../lib/abort.ts'
import type { Context } from '../../../context.ts'
import type { Column, Row } from '../../../domain/table.ts'
import { invalidAt, refusalIn } from '../../../lib/errors.ts'
import { resultReader } from '../cells.ts'
import type { Bound } from '../../../ports/databases.ts'
import { csvWriting, ndjsonWriting, XLSX_TYPE } from '../formats.ts'
import type { ExportType, Writing } from '../formats.ts'
import { planOf } from '../plan.ts'
import type { Plan } from '../plan.ts'
import { EXPORT_ROWS_MAX } from '../schema.ts'
import type { SelectBody } from '../schema.ts'
import { statementsOf } from '../statement.ts'
import { SHEET_ROWS_MAX, tooManyRows, workbookOf, xlsxWriting } from '../xlsx.ts'
import { readableTable } from './readable-table.ts'
import type { ReadableTable } from './readable-table.ts'

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
  checkBody(type, body)
  if (request) ports.network.takesLong(request)
  const readable = await readableTable(context, id, table)
  const isXlsx = type === XLSX_TYPE
  const limit = body.limit ?? EXPORT_ROWS_MAX
  const plan = planOf(body, { columns: readable.columns, timeZone: ports.settings.timeZone, limit })
  const statements = statementsOf(plan, readable.from, readable.writer)
  const { columns, row } = resultReader(plan, ports.settings.timeZone)
  const writing = writingOf(type, columns, isForExcel)
  const signal = signalOf(request)
  if (isXlsx && body.limit === undefined) await requireSheetRows(readable, statements.total(), plan, signal)
  const { rows } = await readable.query(
    statements.rows(body.limit === undefined ? 1 : 0),
    { rowsMax: limit, bytesMax: Number.MAX_SAFE_INTEGER },
    signal,
  )
  const reader = rows.getReader()
  const next = async () => {
    const { value } = await reader.read()
    return value?.map(row) ?? null
  }
  const leave = (reason: unknown) => reader.cancel(reason)
  try {
    const stream = written({ first: await next(), next, leave }, writing, context)
    return isXlsx ? workbookOf(stream, ports.clock.now()) : stream
  } catch (error) {
    await leave(error)
    throw error
  }
}

/** @throws {Refusal} invalid */
function checkBody(type: ExportType, { total, limit = 0 }: SelectBody): void {
  if (total === 'exact') throw invalidAt('/total', 'is for results in JSON')
  if (type === XLSX_TYPE && limit > SHEET_ROWS_MAX)
    throw invalidAt('/limit', `is above ${SHEET_ROWS_MAX}, the rows of a sheet`)
}

function writingOf(type: ExportType, columns: readonly Column[], isForExcel: boolean): Writing {
  if (type === XLSX_TYPE) return xlsxWriting(columns)
  return type === 'text/csv' ? csvWriting(columns, isForExcel) : ndjsonWriting(columns)
}

/** The rows are counted before the workbook begins. @throws {Refusal} query_too_large */
async function requireSheetRows(
  readable: ReadableTable,
  total: Bound,
  { offset }: Plan,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await readable.query(total, { rowsMax: 1, bytesMax: Number.MAX_SAFE_INTEGER }, signal)
  const batches = await Array.fromAsync(rows)
  if (Number(batches[0]?.[0]?.[0] ?? 0) - offset > SHEET_ROWS_MAX) throw tooManyRows()
}

type Batches = {
  readonly first: readonly Row[] | null
  /** Null behind the last rows. */
  readonly next: () => Promise<readonly Row[] | null>
  readonly leave: (reason: unknown) => Promise<void>
}

function written(
  { first, next, leave }: Batches,
  { head, rows, tail, brokenOff }: Writing,
  { ports: { log }, request, requestId }: Context,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  // Rows that do not fit are refused before the first byte.
  let text = head + (first ? rows(first) : '')
  let failure: unknown = null
  let hasLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // An error drops chunks that were not read; at the next pull the last record was.
        if (failure !== null) return controller.error(failure)
        try {
          while (text === '') {
            const batch = await next()
            if (!batch) {
              if (tail !== '') controller.enqueue(encoder.encode(tail))
              return controller.close()
            }
            text = rows(batch)
          }
          controller.enqueue(encoder.encode(text))
          text = ''
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
