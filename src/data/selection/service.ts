import type { Context } from '../../context.ts'
import type { Cell } from '../../domain/table.ts'
import { durationText } from '../../lib/duration.ts'
import { invalidAt } from '../../lib/errors.ts'
import { stopwatch } from '../../ports/clock.ts'
import { resultReader } from './cells.ts'
import { planOf } from './plan.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from './schema.ts'
import type { SelectBody, SelectView } from './schema.ts'
import { readRows } from './service/read-rows.ts'
import { readableTable } from './service/readable-table.ts'
import type { ReadableTable } from './service/readable-table.ts'
import type { Asking } from './service/waited.ts'
import { statementsOf } from './statement.ts'

/** Selects rows or aggregates of a table.
 * @throws {Refusal} not_found, invalid, and the refusals of the port `databases` */
export async function select(
  context: Context,
  { id, table, body }: { readonly id: number; readonly table: string; readonly body: SelectBody },
  asking: Asking,
): Promise<SelectView> {
  return selectFrom(context, { readable: await readableTable(context, id, table), body }, asking)
}

/** Selects rows or aggregates of a table that the caller may read. */
export async function selectFrom(
  { ports }: Context,
  { readable, body }: { readonly readable: ReadableTable; readonly body: SelectBody },
  asking: Asking,
): Promise<SelectView> {
  const { clock, settings } = ports
  const { limit = LIMIT_DEFAULT } = body
  if (limit > LIMIT_MAX) throw invalidAt('/limit', `only CSV and NDJSON may have more than ${LIMIT_MAX} rows`)
  const plan = planOf(body, { columns: readable.columns, timeZone: settings.timeZone, limit })
  const statements = statementsOf(plan, readable.from, readable.writer)
  const elapsedMs = stopwatch(clock)
  const reading = { ports, rowsMax: plan.limit + 1, asking }
  const { value: found, isShared } = await readRows(readable, statements.rows(1), reading)
  const isWhole = plan.offset === 0 && found.rows.length <= plan.limit
  const counted = isWhole
    ? () => Promise.resolve(found.rows.length)
    : () => readNumber(readable, statements.total(), { ...reading, rowsMax: 1 })
  const total = body.total === 'exact' ? await counted() : null
  const durationMs = elapsedMs()
  const { columns, row } = resultReader(plan, settings.timeZone)
  const rows = found.rows.slice(0, plan.limit).map(row)
  const names = columns.map(({ name }) => name)
  return {
    columns: columns.map(({ name, type }, at) => ({ name, type, exact: found.exact[at] ?? false })),
    rows: body.format === 'rows' ? rows : rows.map((cells) => objectOf(names, cells)),
    rowCount: rows.length,
    total,
    truncated: found.rows.length > plan.limit,
    durationMs,
    duration: durationText(durationMs),
    cached: isShared,
  }
}

/** A row by its columns. It has no prototype, so that a column may be called `__proto__`. This loop and the JSON that follows take a
 * third of the CPU time of `Object.fromEntries` and its JSON. */
function objectOf(names: readonly string[], cells: readonly Cell[]): Record<string, Cell> {
  const row = Object.create(null) as Record<string, Cell>
  for (let at = 0; at < names.length; at += 1) row[names[at] ?? ''] = cells[at] ?? null
  return row
}

async function readNumber(...[readable, statement, reading]: Parameters<typeof readRows>): Promise<number> {
  const { value } = await readRows(readable, statement, reading)
  const cell: Cell = value.rows[0]?.[0] ?? null
  return Number(cell)
}
