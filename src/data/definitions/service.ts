import type { Context } from '../../context.ts'
import { COLUMNS_MAX } from '../../domain/import-plan.ts'
import { changeWithRetry, demandedVersion, entityTag, refuseStale } from '../../http/preconditions.ts'
import { invalidAt, Refusal, stale } from '../../lib/errors.ts'
import type { Column } from '../../domain/table.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { areScopesChanged, hasResults, holdScopes, scopesBound, scopesNaming } from '../scopes/service.ts'
import { requireFileSource } from '../sources/service.ts'
import {
  inGeneration,
  nameTaken,
  openTable,
  publishTable,
  requireEditable,
  requireTable,
} from '../tables/service.ts'
import type { OpenTable } from '../tables/service.ts'
import type { ImportedTableView, TableBody, TableChange } from './schema.ts'

/** A column, and the column of before from which its values come; null for nulls. */
type ReshapedColumn = Column & { readonly from: Column | null }
type Defined = { readonly view: ImportedTableView; readonly etag: string }

/** Makes a table without rows. @throws {Refusal} not_found, conflict for a database, name_taken, invalid */
export async function createTable(context: Context, id: number, body: TableBody): Promise<Defined> {
  await requireFileSource(context.ports, id)
  const columns = body.columns.map((column) => ({ ...column, from: null }))
  requireDistinct(columns, (at) => `/columns/${at}/name`)
  if (await openTable(context.ports, id, body.name)) throw nameTaken(body.name, '/name')
  return define(context, { id, name: body.name, columns, before: null, held: [], namePointer: '/name' })
}

/** Renames a table, and adds, removes, renames or retypes its columns. Readers see the table of before or of after.
 * @throws {Refusal} not_found, conflict for what scopes name, name_taken, invalid for a value without one of the new type,
 * precondition_failed */
export function changeTable(
  context: Context,
  { id, table }: { readonly id: number; readonly table: string },
  body: TableChange,
): Promise<Defined> {
  const demanded = demandedVersion(context)
  return changeWithRetry(demanded, async () => {
    await requireFileSource(context.ports, id)
    const before = await requireTable(context.ports, id, table)
    requireEditable(before)
    refuseStale(demanded, before.version, 'table')
    const columns = changedColumns(before, body)
    const name = body.rename ?? before.name
    if (body.rename !== undefined) await refuseForecast(context.ports, before)
    const held = await holdScopes(context.ports, id)
    await requireUnbound(context.ports, id, { before, name, columns })
    return define(context, { id, name, columns, before, held, namePointer: '/rename' })
  })
}

/** A forecast finds the table of its results by the name. @throws {Refusal} conflict */
async function refuseForecast(ports: Ports, { name, generation }: OpenTable): Promise<void> {
  if (!(await hasResults(ports, generation.sourceId, name))) return
  throw new Refusal(
    'conflict',
    `A forecast keeps its results in the table ${name}. Change the table of the forecast.`,
  )
}

type Definition = {
  readonly id: number
  readonly name: string
  readonly columns: readonly ReshapedColumn[]
  readonly before: OpenTable | null
  readonly held: readonly Write[]
  readonly namePointer: string
}

function define(context: Context, definition: Definition): Promise<Defined> {
  const { id, name, columns, before, held, namePointer } = definition
  const { tables, settings } = context.ports
  return inGeneration(context.ports, id, async (to) => {
    const parts = before ? [{ of: before.generation, from: columns.map(({ from }) => from) }] : []
    const stored = columns.map((column) => ({ name: column.name, type: column.type }))
    const { timeZone } = settings
    const outcome = await tables.reshape({ parts, to, columns: stored, timeZone, key: null })
    if ('column' in outcome) throw unfitting(outcome, columns)
    if (!('rows' in outcome)) throw new Error('The tables looked for a key that was not asked for')
    const contents = { name, columns: stored, rows: outcome.rows }
    const changed = () => stale('table')
    const publication = { before, others: held, changed, namePointer }
    try {
      await publishTable(context, { ...contents, generation: to }, publication)
    } catch (error) {
      // The present scopes may name what goes: they are checked again.
      throw areScopesChanged(error) ? changed() : error
    }
    return { view: contents, etag: entityTag((before?.version ?? 0) + 1) }
  })
}

function unfitting(
  { column, value }: { readonly column: string; readonly value: string },
  columns: readonly ReshapedColumn[],
): Refusal {
  const type = columns.find(({ name }) => name === column)?.type ?? ''
  const detail = `The column ${column} has the value ${JSON.stringify(value)}, which is not of the type ${type}. Nothing was changed.`
  return new Refusal('invalid', detail, [
    { pointer: '/alter', message: `${column} has a value that is not of the type ${type}` },
  ])
}

/** @throws {Refusal} invalid */
function changedColumns(
  { columns }: OpenTable,
  { add, drop, alter }: TableChange,
): readonly ReshapedColumn[] {
  const names = new Set(columns.map(({ name }) => name))
  for (const [at, name] of drop.entries())
    if (!names.has(name)) throw invalidAt(`/drop/${at}`, 'is not a column of the table')
  for (const [at, { name }] of alter.entries()) {
    if (!names.has(name) || drop.includes(name))
      throw invalidAt(`/alter/${at}/name`, 'is not a column of the table')
    if (alter.findIndex((one) => one.name === name) < at)
      throw invalidAt(`/alter/${at}/name`, 'is already changed')
  }
  const kept = columns
    .filter(({ name }) => !drop.includes(name))
    .map((from): ReshapedColumn => {
      const change = alter.find(({ name }) => name === from.name)
      return { name: change?.rename ?? from.name, type: change?.type ?? from.type, from }
    })
  const changed = [...kept, ...add.map((column): ReshapedColumn => ({ ...column, from: null }))]
  if (changed.length === 0) throw invalidAt('/drop', 'must leave a column')
  if (changed.length > COLUMNS_MAX) throw invalidAt('/add', `must leave at most ${COLUMNS_MAX} columns`)
  requireDistinct(changed, (at) => {
    if (at >= kept.length) return `/add/${at - kept.length}/name`
    const renamed = alter.findIndex(({ name }) => name === changed[at]?.from?.name)
    return renamed < 0 ? '/alter' : `/alter/${renamed}/rename`
  })
  return changed
}

/** @throws {Refusal} invalid for two columns of one name in any letter case */
function requireDistinct(columns: readonly ReshapedColumn[], pointer: (at: number) => string): void {
  const taken = new Set<string>()
  for (const [at, { name }] of columns.entries())
    if (taken.size === taken.add(name.toLowerCase()).size) throw invalidAt(pointer(at), 'is already used')
}

/** A scope that loses its table or a column would hide less than before.
 * @throws {Refusal} conflict for a table and columns that scopes name */
async function requireUnbound(
  ports: Ports,
  id: number,
  { before, name, columns }: Pick<Definition, 'name' | 'columns'> & { readonly before: OpenTable },
): Promise<void> {
  const named = columns.filter((column) => column.from?.name === column.name)
  const gone = before.columns
    .map((column) => column.name)
    .filter((one) => named.every((column) => column.name !== one))
  // Another type would change the meaning of a filter.
  const stay = named.filter(({ type, from }) => from?.type === type)
  const table = before.name
  const bound =
    name === table
      ? await scopesBound(ports, id, { table, gone, stay })
      : await scopesNaming(ports, id, table)
  if (bound.length === 0) return
  throw new Refusal(
    'conflict',
    `Scopes name the table or its columns: ${bound.join(', ')}. Change them first.`,
  )
}
