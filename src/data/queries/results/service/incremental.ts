import type { Cell, Column, Row } from '../../../../domain/table.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { RowStream } from '../../../../ports/databases.ts'
import type { Generation, TableIndex } from '../../../../ports/tables.ts'
import { WRITERS } from '../../../sql/dialects/writers.ts'
import { bind, boundOf, joined, name, raw, sql } from '../../../sql/fragment.ts'
import type { Fragment } from '../../../sql/fragment.ts'
import type { Dialect } from '../../../sql/spelling.ts'
import { abandonGeneration, fillGeneration, inGeneration } from '../../../tables/service.ts'
import type { Assertion } from '../../assertion-schema.ts'
import { failuresOf, wordsOf } from '../../assertions.ts'
import { earlier } from '../lookback.ts'
import type { Incremental } from '../schema.ts'
import { isOrdered } from '../storable.ts'
import type { Ordered } from '../storable.ts'

/** Of a statement that reads a generation. */
const READ_TIMEOUT_MS = 60_000
const READ_MAX_BYTES = 1024 * 1024
const ROWS = 'r'
const INSTANT = /^[\d-]+T[\d:.]+Z?$/

/** The rows of a result, as they are stored. */
export type Former = {
  readonly of: Generation
  readonly columns: readonly Column[]
  readonly rows: number
}

/** The statement with the rows alone that are not older than those that are stored; null where these have no value from which
 * it could be told. With a key rows with the greatest value are read again, since they replace the stored ones, and with a
 * lookback those with values before it. */
export async function newerStatement(
  ports: Ports,
  { statement, dialect }: { readonly statement: Fragment; readonly dialect: Dialect },
  { former, incremental }: { readonly former: Former; readonly incremental: Incremental },
  signal: AbortSignal,
): Promise<Fragment | null> {
  const { column, key, lookback = null } = incremental
  const type = former.columns.find((one) => one.name === column)?.type
  if (!isOrdered(type)) return null
  const greatest = sql`SELECT max(${name(column)}) AS ${name(column)} FROM ${name(ROWS)}`
  const last = await firstCell(ports, { of: former.of, columns: [column] }, greatest, signal)
  const value = lookback === null || last === null ? last : earlier(type, String(last), lookback)
  if (value === null) return null
  const operator = raw(key.length > 0 ? '>=' : '>')
  const than = valueSql(type, value, dialect)
  return sql`SELECT * FROM (${statement}) AS ${name('q')} WHERE ${name('q')}.${name(column)} ${operator} ${than}`
}

/** PostgreSQL reads a literal by the type of the column, with or without a zone. */
function valueSql(type: Ordered, value: Cell, dialect: Dialect): Fragment {
  const text = String(value)
  if (type === 'datetime' && dialect === 'postgresql' && INSTANT.test(text)) return raw(`'${text}'`)
  return bind({ type, value: text })
}

type Read = { readonly of: Generation; readonly columns: readonly string[] }

/** Checks the rows of a result. @throws {Refusal} import_failed for an assertion that does not hold */
export async function requireAssertions(
  ports: Ports,
  { of, columns }: { readonly of: Generation; readonly columns: readonly Column[] },
  assertions: readonly Assertion[],
  signal: AbortSignal,
): Promise<void> {
  for (const assertion of assertions) {
    const names = columns.map((column) => column.name)
    const missing = assertion.columns.find((column) => !names.includes(column))
    if (missing !== undefined)
      throw new Refusal(
        'import_failed',
        `An assertion names the column ${missing}, which the result does not have.`,
      )
    const statement = failuresOf(assertion, name(ROWS))
    const failures = Number(await firstCell(ports, { of, columns: assertion.columns }, statement, signal))
    if (failures === 0) continue
    const unit = assertion.kind === 'unique' ? 'values' : 'rows'
    throw new Refusal(
      'import_failed',
      `The assertion that ${wordsOf(assertion)} does not hold for ${failures} ${unit}.`,
    )
  }
}

async function firstCell(
  { tables, settings }: Ports,
  { of, columns }: Read,
  statement: Fragment,
  signal: AbortSignal,
): Promise<Cell> {
  const views = [{ name: ROWS, of, columns, where: null }]
  const query = { views, statement: boundOf(statement, WRITERS[tables.dialect]), timeZone: settings.timeZone }
  const limits = { timeoutMs: READ_TIMEOUT_MS, rowsMax: 1, bytesMax: READ_MAX_BYTES }
  const { rows } = await tables.query(query, limits, signal)
  const batches = await Array.fromAsync(rows)
  return batches[0]?.[0]?.[0] ?? null
}

/** Refuses rows whose key is null or that have the key of another one. @throws {Refusal} import_failed */
export async function requireKeys(
  ports: Ports,
  of: Generation,
  key: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (key.length === 0) return
  const names = joined(
    key.map((column) => name(column)),
    ', ',
  )
  const isNull = joined(
    key.map((column) => sql`${name(column)} IS NULL`),
    ' OR ',
  )
  const nulls = sql`SELECT count(*) AS n FROM ${name(ROWS)} WHERE ${isNull}`
  const doubles = sql`SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${name(ROWS)} GROUP BY ${names} HAVING count(*) > 1) AS d`
  if (Number(await firstCell(ports, { of, columns: key }, nulls, signal)) > 0) throw keyFault(key, 'null')
  if (Number(await firstCell(ports, { of, columns: key }, doubles, signal)) > 0) throw keyFault(key, 'twice')
}

function keyFault(key: readonly string[], fault: 'null' | 'twice'): Refusal {
  const how = fault === 'null' ? 'null' : 'there twice'
  return new Refusal('import_failed', `The result has a key (${key.join(', ')}) that is ${how}.`)
}

/** New rows of a result, or the reason for their absence. */
export type Arrival =
  | { readonly kind: 'none' }
  | { readonly kind: 'other columns' }
  | { readonly kind: 'rows'; readonly rows: AsyncIterable<readonly Row[], void> }

/** The rows that arrive in a stream, if it has the columns of the stored ones. */
export async function arrivalOf(
  { columns, rows: stream }: RowStream,
  former: Pick<Former, 'columns'>,
): Promise<Arrival> {
  const reader = stream.getReader()
  const first = await reader.read()
  if (first.done) return { kind: 'none' }
  const shape = (all: readonly Column[]) => JSON.stringify(all.map((one) => [one.name, one.type]))
  if (shape(columns) !== shape(former.columns)) {
    await reader.cancel()
    return { kind: 'other columns' }
  }
  async function* rows(): AsyncGenerator<readonly Row[], void> {
    for (let batch = first; !batch.done; batch = await reader.read()) yield batch.value
  }
  return { kind: 'rows', rows: rows() }
}

type Addition = {
  readonly former: Former
  readonly rows: AsyncIterable<readonly Row[], void>
  readonly key: readonly string[]
  readonly indexes: readonly TableIndex[]
  readonly rowsMax: number
}

/** Fills a generation with the stored rows and the new ones, which replace stored ones that have the same key.
 * @throws {Refusal} import_failed for keys, query_too_large */
export async function addRows(
  ports: Ports,
  to: Generation,
  { former, rows, key, indexes, rowsMax }: Addition,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly added: number }> {
  const { columns } = former
  return inGeneration(ports, to.sourceId, async (arrived) => {
    const added = await fillGeneration(ports, { to: arrived, columns, rows }, signal, () => undefined)
    const outcome = await ports.tables.reshape({
      parts: [
        { of: former.of, from: columns },
        { of: arrived, from: columns },
      ],
      to,
      columns,
      timeZone: ports.settings.timeZone,
      key: key.length > 0 ? key : null,
      indexes,
    })
    signal.throwIfAborted()
    if ('fault' in outcome) throw keyFault(outcome.key, outcome.fault)
    if (!('rows' in outcome)) throw new Error(`The column ${outcome.column} has a value of another type`)
    if (outcome.rows > rowsMax)
      throw new Refusal('query_too_large', `The result has more than ${rowsMax} rows.`)
    await abandonGeneration(ports, arrived)
    return { rows: outcome.rows, added }
  })
}
