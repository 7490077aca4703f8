import type { Context } from '../../context.ts'
import type { Cell, Column, ColumnType } from '../../domain/table.ts'
import { changeWithRetry, demandedVersion, entityTag, refuseStale } from '../../http/preconditions.ts'
import { invalidAt, Refusal, stale } from '../../lib/errors.ts'
import { isRounded } from '../../lib/numbers.ts'
import { pointerOf } from '../../lib/pointer.ts'
import { plainReaders } from '../imports/cells.ts'
import type { CellReader } from '../imports/cells.ts'
import { sightedTable } from '../scopes/service/sighted.ts'
import { editSight } from '../scopes/service/sights.ts'
import type { Sight } from '../scopes/sight.ts'
import { requireFileSource } from '../sources/service.ts'
import { writerIn } from '../sql/dialects/writers.ts'
import { inGeneration, publishTable, requireEditable } from '../tables/service.ts'
import type { OpenTable } from '../tables/service.ts'
import type { EditView, InsertBody, KeyedBody } from './schema.ts'
import { plannedEdit } from './steps.ts'
import type { Edit, Fault, PlannedEdit, StepMeaning } from './steps.ts'

type Place = { readonly id: number; readonly table: string }
type Edited = { readonly view: EditView; readonly etag: string }

const INSERTS = { error: 'insert', ignore: 'insert_missing', update: 'upsert' } as const

/** Inserts rows into an imported table, all of them or none. @throws {Refusal} as `edit` */
export function insertRows(context: Context, place: Place, body: InsertBody): Promise<Edited> {
  return edit(context, place, { ...body, kind: INSERTS[body.onConflict] })
}

/** Changes the rows that have the given keys, all of them or none. @throws {Refusal} as `edit` */
export function updateRows(context: Context, place: Place, body: KeyedBody): Promise<Edited> {
  return edit(context, place, { ...body, kind: 'update' })
}

/** Deletes the rows that have the given keys, all of them or none. @throws {Refusal} as `edit` */
export function deleteRows(context: Context, place: Place, body: KeyedBody): Promise<Edited> {
  return edit(context, place, { ...body, kind: 'delete' })
}

type Order = KeyedBody & Pick<Edit, 'kind'>

/** @throws {Refusal} not_found without the table or a scope, forbidden for rows outside of the scope, conflict for keys that
 * are there, precondition_failed, invalid, unavailable, overloaded */
function edit(context: Context, place: Place, order: Order): Promise<Edited> {
  const demanded = demandedVersion(context)
  return changeWithRetry(demanded, async () => {
    const { ports } = context
    await requireFileSource(ports, place.id)
    const { opened: before, sight } = await sightedTable(context, place, editSight)
    requireEditable(before)
    refuseStale(demanded, before.version, 'table')
    const changes = changesOf(order, sight, ports.settings.timeZone)
    const plan = plannedEdit(
      changes,
      { columns: before.columns, scope: sight.rows },
      writerIn(ports.tables.dialect, ports.settings.timeZone),
    )
    return make(context, { before, plan, sight })
  })
}

function make(
  context: Context,
  { before, plan, sight }: { readonly before: OpenTable; readonly plan: PlannedEdit; readonly sight: Sight },
): Promise<Edited> {
  const { ports } = context
  const { name, columns, generation: from, version } = before
  return inGeneration(ports, from.sourceId, async (to) => {
    const { changes, steps, meanings } = plan
    const outcome = await ports.tables.edit({ from, to, columns, changes, steps })
    if (!('rows' in outcome)) throw faultOf(meanings[outcome.step] as Fault, outcome.change, sight)
    const { rows, written } = outcome
    const changed = () => stale('table')
    await publishTable(context, { name, columns, rows, generation: to }, { before, others: [], changed })
    const count = (wanted: StepMeaning) =>
      meanings.reduce((sum, meaning, step) => sum + (meaning === wanted ? (written[step] ?? 0) : 0), 0)
    const view = {
      inserted: count('inserted'),
      updated: count('updated'),
      deleted: count('deleted'),
      rows: sight.rows === null ? rows : null,
    }
    return { view, etag: entityTag(version + 1) }
  })
}

function faultOf(fault: Fault, change: number, { rows }: Sight): Refusal {
  const at = (message: string) => [{ pointer: `/rows/${change}`, message }]
  if (fault === 'exists')
    return new Refusal(
      'conflict',
      'A row with this key is there already. Nothing was stored.',
      at('is there already'),
    )
  if (fault === 'missing' && rows === null)
    return new Refusal('not_found', 'No row has this key. Nothing was stored.', at('is not there'))
  // Whether another row has the key is not for this user to know.
  return new Refusal(
    'forbidden',
    'A row is outside of the scope of the caller. Nothing was stored.',
    at('is outside of the scope'),
  )
}

/** @throws {Refusal} invalid */
function changesOf({ kind, key, rows }: Order, sight: Sight, timeZone: string): Edit {
  const names = Object.keys(rows[0] ?? {})
  const known = new Map(sight.columns.map((column) => [column.name, column]))
  for (const [at, column] of key.entries()) {
    if (!known.has(column)) throw invalidAt(`/key/${at}`, 'is not a column of the table')
    if (!names.includes(column)) throw invalidAt('/rows/0', `must have the column ${column} of the key`)
  }
  const columns = names.map((column): Column => {
    const found = known.get(column)
    if (!found) throw invalidAt(pointerOf(['rows', 0, column]), 'is not a column of the table')
    return found
  })
  if (columns.length === 0) throw invalidAt('/rows/0', 'must have a column')
  if (kind === 'update' && columns.length === key.length)
    throw invalidAt('/rows/0', 'must have a column beside the key')
  if (kind === 'delete' && columns.length > key.length)
    throw invalidAt('/rows/0', 'must have no column beside the key')
  const readers = plainReaders(timeZone)
  const seen = new Set<string>()
  const cells = rows.map((row, number) => {
    const pointer = `/rows/${number}`
    if (Object.keys(row).length !== names.length || names.some((column) => !Object.hasOwn(row, column)))
      throw invalidAt(pointer, 'must have the columns of the first row')
    const own = columns.map(({ name, type }) =>
      cellOf(row[name] ?? null, { type, readers, pointer: pointerOf(['rows', number, name]) }),
    )
    const ofKey = own.filter((_, at) => key.includes(names[at] ?? ''))
    if (ofKey.includes(null)) throw invalidAt(pointer, 'must have a key that is not null')
    if (key.length > 0 && seen.size === seen.add(JSON.stringify(ofKey)).size)
      throw invalidAt(pointer, 'has the key of another row')
    return own
  })
  return { kind, columns, rows: cells, key }
}

type CellPlace = {
  readonly type: ColumnType
  readonly readers: Readonly<Record<ColumnType, CellReader>>
  readonly pointer: string
}

const IS_NUMERIC: ReadonlySet<ColumnType> = new Set(['integer', 'number'])

/** @throws {Refusal} invalid for a value of another type, and for an integer that JSON may have rounded */
function cellOf(given: Cell, { type, readers, pointer }: CellPlace): Cell {
  if (given === null) return null
  if (type === 'integer' && isRounded(given))
    throw invalidAt(pointer, 'must be text beyond 2^53, because JSON numbers are rounded there')
  const text = String(given)
  const isOfType =
    typeof given === 'string' || (typeof given === 'boolean' ? type === 'boolean' : IS_NUMERIC.has(type))
  const value = isOfType ? readers[type](text) : undefined
  if (value === undefined) throw invalidAt(pointer, `must be a value of the type ${type}`)
  return value
}
