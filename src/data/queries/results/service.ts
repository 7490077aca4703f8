import type { Context } from '../../../context.ts'
import type { Column } from '../../../domain/table.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { generationOf } from '../../../ports/tables.ts'
import type { Generation } from '../../../ports/tables.ts'
import { isRestricted } from '../../scopes/service/sights.ts'
import { refreshView } from '../../sources/refresh-view.ts'
import type { DataSourceView } from '../../sources/schema.ts'
import { readableUntil } from '../../tables/service.ts'
import { keyOf } from '../references.ts'
import { findVersion } from '../store.ts'
import type { Definition } from '../schema.ts'
import { LIMITS } from './interval.ts'
import type { ResultState } from './schema.ts'
import { storingComplaint } from './storable.ts'
import * as store from './store.ts'
import type { ResultRow } from './store.ts'

/** The stored result of a data query, as a table. */
export type StoredResult = {
  /** The name of the result in statements. */
  readonly name: string
  readonly of: Generation
  readonly columns: readonly Column[]
  readonly refreshedAt: number
}

type Publication = {
  readonly queryId: number
  readonly number: number
  readonly after: Definition
  /** The published version before; null for none. */
  readonly before: Definition | null
}

/** The writes that belong to a new published version: its result becomes due, or the one of the version before goes. */
export function publicationWrites(
  { database, clock }: Ports,
  { queryId, number, after, before }: Publication,
): Write[] {
  const { materialization, dataSourceId } = after
  if (!materialization) {
    const dropAt = readableUntil({ clock })
    return before?.materialization ? store.dropResults(database, [queryId], dropAt) : []
  }
  const { everyMs } = LIMITS[materialization.refresh]
  const isSame = before !== null && resultsOf(before) === resultsOf(after)
  const order = { queryId, dataSourceId, everyMs, now: clock.now(), number: isSame ? number : null }
  return [store.orderResult(database, order)]
}

/** Versions with the same text have the same rows. */
function resultsOf({ dataSourceId, text, parameters }: Definition): string {
  return JSON.stringify([dataSourceId, text, parameters])
}

/** Why a draft cannot be stored, as far as the stored result of the same text shows it; null where nothing is shown. */
export async function draftComplaint(
  { database }: Ports,
  queryId: number,
  draft: Definition,
): Promise<string | null> {
  const { materialization } = draft
  if (!materialization) return null
  const row = await store.findResult(database, queryId)
  if (!row || row.generationId === null) return null
  const version = await findVersion(database, queryId, row.number)
  const isSame = version !== null && resultsOf(version) === resultsOf(draft)
  return isSame ? storingComplaint(row.columns, materialization) : null
}

/** The writes that belong to the deletion of data queries, before it. */
export function deletedResults(ports: Ports, queryIds: readonly number[]): Write[] {
  return store.dropResults(ports.database, queryIds, readableUntil(ports))
}

export async function readResultState(ports: Ports, queryId: number): Promise<ResultState> {
  return stateOf(ports, await store.findResult(ports.database, queryId))
}

/** The states of all stored results, by the ids of their data queries. */
export async function listResultStates(ports: Ports): Promise<ReadonlyMap<number, ResultState>> {
  const rows = await store.listResults(ports.database)
  return new Map(rows.map((row) => [row.queryId, stateOf(ports, row)]))
}

function stateOf(ports: Ports, row: ResultRow | null): ResultState {
  const refresh = refreshView(ports, row)
  return row && refresh && { ...refresh, rows: row.rows, version: row.number, error: row.error }
}

type Source = Pick<DataSourceView, 'id' | 'scopeMode'>

/** The stored result of a version of a data query, if its caller may read all rows of the data source: scopes do not apply to a
 * result. */
export async function findReadable(
  context: Context,
  source: Source,
  { queryId, number }: { readonly queryId: number; readonly number: number },
): Promise<StoredResult | null> {
  const row = await store.findResult(context.ports.database, queryId)
  return row?.number === number && (await mayRead(context, source)) ? storedOf(row, source) : null
}

/** The stored results that a statement of the caller may read in place of data queries, by the keys of their names. */
export async function listReadable(
  context: Context,
  source: Source,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredResult>> {
  const rows = await store.listNamed(context.ports.database, keys)
  if (rows.length === 0 || !(await mayRead(context, source))) return new Map()
  const found = rows.map((row) => [keyOf(row.name), storedOf(row, source)] as const)
  return new Map(found.flatMap(([key, stored]) => (stored ? [[key, stored] as const] : [])))
}

/** Row security of a database knows the user of a statement, and a result has the rows of none. */
async function mayRead(context: Context, { id, scopeMode }: Source): Promise<boolean> {
  return scopeMode !== 'native' && !(await isRestricted(context, id))
}

function storedOf(row: ResultRow, { id }: Source): StoredResult | null {
  const { queryId, dataSourceId, generationId, columns, refreshedAt } = row
  if (generationId === null || refreshedAt === null || dataSourceId !== id) return null
  return { name: `tidemark_result_${queryId}`, of: generationOf(id, generationId), columns, refreshedAt }
}
