import type { Context } from '../../../../context.ts'
import { ownValue } from '../../../../lib/json.ts'
import { readItems } from '../../../../monitoring/tree/search/service.ts'
import type { ImportBody, ImportView } from '../schema.ts'
import { mapReferences } from '../slots.ts'
import * as store from '../store.ts'

type Json = Readonly<Record<string, unknown>>
/** A definition with names, and the URL name of its dashboard. */
export type NamedDefinition = { readonly urlName: string; readonly definition: Json }

/** Finds the ids of named dashboards: of this service, and of an import. */
export type FindDashboard = (uuid: string, urlName: string) => number | null

export type NamedReference = { readonly kind: string; readonly value: unknown; readonly key: string }
export type Resolved = {
  /** Definitions with ids; null in the place of each name that was not found. */
  readonly definitions: readonly Json[]
  readonly unmatched: ImportView['unmatched']
}

/** Replaces the names in definitions by ids of this service. Objects are found by their path, then by `externalId`; an
 * object has to be the only one, and readable for the caller. */
export async function resolveNames(
  context: Context,
  given: readonly NamedDefinition[],
  { map, findDashboard }: { readonly map: ImportBody['map']; readonly findDashboard: FindDashboard },
): Promise<Resolved> {
  const references: NamedReference[] = []
  for (const { definition } of given)
    mapReferences(definition, (kind, value) => {
      references.push({ kind, value, key: keyOf(kind, value) })
      return value
    })
  const found = new Map<string, number>([
    ...(await findReferences(context, references, map)),
    ...of(references, 'dashboard').flatMap(({ key, value }): [string, number][] => {
      const id = findDashboard(textOf(value, 'uuid'), textOf(value, 'urlName'))
      return id === null ? [] : [[key, id]]
    }),
  ])
  const unmatched = new Map<string, ImportView['unmatched'][number]>()
  const definitions = given.map(({ urlName, definition }) =>
    mapReferences(definition, (kind, value, widget) => {
      const key = keyOf(kind, value)
      const id = found.get(key)
      if (id !== undefined) return id
      const missing = unmatched.get(key) ?? { kind, name: nameOf(value), widgets: [] }
      unmatched.set(key, { ...missing, widgets: [...missing.widgets, [urlName, widget]] })
      return null
    }),
  )
  return { definitions: definitions.map(withoutHoles), unmatched: [...unmatched.values()] }
}

/** The ids of objects, data queries, scripts and forecasts by the keys of references. */
export async function findReferences(
  context: Context,
  references: readonly NamedReference[],
  map: ImportBody['map'],
): Promise<ReadonlyMap<string, number>> {
  return new Map([
    ...(await findObjects(context, of(references, 'object'))),
    ...(await findNamed(context, 'dataQuery', of(references, 'dataQuery'), map.dataQueries)),
    ...(await findNamed(context, 'script', of(references, 'script'), map.scripts)),
    ...(await findNamed(context, 'forecast', of(references, 'forecast'), {})),
  ])
}

function of(references: readonly NamedReference[], wanted: string): NamedReference[] {
  const own = references.filter(({ kind }) => kind === wanted)
  return [...new Map(own.map((reference) => [reference.key, reference])).values()]
}

export function keyOf(kind: string, value: unknown): string {
  return `${kind} ${JSON.stringify(value)}`
}

export function nameOf(value: unknown): string {
  const path = (value as { path?: unknown } | null)?.path
  if (Array.isArray(path)) return path.map(String).join('/')
  return typeof value === 'string' ? value : textOf(value, 'urlName')
}

function textOf(value: unknown, field: string): string {
  const text = (value as Json | null)?.[field]
  return typeof text === 'string' ? text : ''
}

async function findObjects(
  context: Context,
  references: readonly NamedReference[],
): Promise<[string, number][]> {
  if (references.length === 0) return []
  const { database } = context.ports
  const paths = references.map(({ value }) => {
    const path = (value as { path?: unknown } | null)?.path
    return Array.isArray(path) ? path.map(String) : []
  })
  const externalIds = references.map(({ value }) => textOf(value, 'externalId'))
  const [byPath, byExternal] = await Promise.all([
    store.findByPaths(database, paths),
    store.findByExternalIds(database, [...new Set(externalIds.filter((text) => text !== ''))]),
  ])
  const candidates = references.map(({ key }, index): [string, readonly number[]] => {
    const own = byPath[index] ?? []
    return [key, own.length > 0 ? own : (byExternal.get(externalIds[index] ?? '') ?? [])]
  })
  const single = candidates.flatMap(([key, ids]): [string, number][] =>
    ids.length === 1 ? [[key, ids[0] ?? 0]] : [],
  )
  const readable = await readItems(context, [...new Set(single.map(([, id]) => id))])
  const known = new Set(readable.map(({ id }) => id))
  return single.filter(([, id]) => known.has(id))
}

async function findNamed(
  { ports }: Context,
  kind: 'dataQuery' | 'script' | 'forecast',
  references: readonly NamedReference[],
  other: Readonly<Record<string, string>>,
): Promise<[string, number][]> {
  if (references.length === 0) return []
  const nameFor = (value: unknown) => (typeof value === 'string' ? (ownValue(other, value) ?? value) : '')
  const rows = await store.findNames(
    ports.database,
    kind,
    references.map(({ value }) => nameFor(value)),
  )
  const byName = new Map(rows.map(({ id, name }) => [name.toLowerCase(), id]))
  return references.flatMap(({ key, value }): [string, number][] => {
    const id = byName.get(nameFor(value).toLowerCase())
    return id === undefined ? [] : [[key, id]]
  })
}

/** Lists of objects have no empty places. */
function withoutHoles(definition: Json): Json {
  const widgets = definition['widgets']
  if (typeof widgets !== 'object' || widgets === null) return definition
  const cleaned = Object.entries(widgets).map(([id, widget]) => [id, filled(widget)])
  return { ...definition, widgets: Object.fromEntries(cleaned) as Json }
}

function filled(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  const record = node as Json
  const { ids } = record
  const own = Array.isArray(ids) ? { ...record, ids: ids.filter((id) => id !== null) } : record
  const nested = ['objects', 'points'].filter((key) => typeof own[key] === 'object' && own[key] !== null)
  return Object.assign({}, own, ...nested.map((key) => ({ [key]: filled(own[key]) }))) as Json
}
