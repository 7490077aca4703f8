import { stringify } from 'yaml'

import type { Client } from '../client.ts'
import { Finder } from './finder.ts'
import type { Listed, Parent } from './finder.ts'
import { MARKER } from './manifest.ts'
import type { ObjectType } from './manifest.ts'
import { COLLECTIONS, pathOf } from './plan.ts'
import { isJsonObject } from '../../../../src/lib/json.ts'

type View = {
  readonly name: string
  readonly properties: readonly { readonly key: string; readonly value: string }[]
} & Readonly<Record<string, unknown>>
type Exported = Record<string, unknown>
/** The group of an export, and the objects that were found below it so far. */
type Export = {
  readonly client: Client
  readonly finder: Finder
  readonly recipients: ReadonlyMap<number, string>
  /** The path of each object below the group, by its id. */
  readonly paths: Map<number, readonly string[]>
  readonly services: { readonly one: Listed; readonly view: View; readonly exported: Exported }[]
}

/** The fields of each type that a manifest has; the others are its state, or follow from its place. */
const FIELDS: Readonly<Record<ObjectType, readonly string[]>> = {
  group: [],
  device: ['address', 'netmask', 'parameter'],
  job: ['interval', 'stopped', 'parameters', 'thresholds', 'flapping', 'stateForced'],
  slo: [
    'stateOperation',
    'pushState',
    'sortMode',
    'major',
    'minor',
    'warning',
    'minorMinor',
    'minorWarning',
    'warningWarning',
    'ignoreMaintenance',
    'isReason',
    'parameters',
  ],
  slc: ['subType', 'duration', 'resetInterval', 'timezone', 'limit', 'target', 'activeTime', 'warnAt'],
}

/** A manifest and the objects that it cannot name. */
export type ExportedManifest = { readonly text: string; readonly omitted: readonly string[] }

/** The objects below a group with their alarm links, as a YAML document of a manifest. Recipients are named and not exported:
 * their targets may have secrets. A service level object with children elsewhere is exported without its children. */
export async function exportManifest(
  client: Client,
  group: number,
  manifest: string,
): Promise<ExportedManifest> {
  const { items } = await client.read<{
    readonly items: readonly { readonly id: number; readonly name: string }[]
  }>('/alarmrecipients')
  const all: Export = {
    client,
    finder: new Finder(client),
    recipients: new Map(items.map(({ id, name }) => [id, name])),
    paths: new Map([[group, []]]),
    services: [],
  }
  const below = await childrenOf(all, { type: 'group', id: group })
  const omitted: string[] = []
  for (const service of all.services) omitted.push(...(await addReferences(all, service)))
  return { text: stringify({ manifest, ...below }, { lineWidth: 120 }), omitted }
}

async function childrenOf(all: Export, parent: Parent): Promise<Exported> {
  const lists: Record<string, Exported[]> = {}
  for (const child of await all.finder.below(parent)) {
    all.paths.set(child.id, [...(all.paths.get(parent.id) ?? []), child.name])
    ;(lists[COLLECTIONS[child.type]] ??= []).push(await exported(all, child))
  }
  return lists
}

async function exported(all: Export, child: Listed): Promise<Exported> {
  const { type, id } = child
  const view = await all.client.read<View>(pathOf(type, id))
  const properties = view.properties.filter(({ key }) => key !== MARKER)
  const links = await linksOf(all, child)
  const fields = Object.fromEntries(FIELDS[type].map((field) => [field, view[field]]))
  const object: Exported = {
    name: view.name,
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])) }),
    ...settingsOf(type, fields),
    ...(links.length === 0 ? {} : { alarmLinks: links }),
    ...(type === 'group' || type === 'device' ? await childrenOf(all, child) : {}),
  }
  if (type === 'slo' || type === 'slc') all.services.push({ one: child, view, exported: object })
  return object
}

/** Adds what a service level object or container refers to, when all paths are known.
 * @returns what has no path, as texts */
async function addReferences(
  { finder, paths }: Export,
  { one, view, exported: object }: Export['services'][number],
): Promise<readonly string[]> {
  const { deviceId = 0, childrenFilter = null } = view as View & {
    readonly deviceId?: number
    readonly childrenFilter?: (Exported & { readonly groupId: number }) | null
  }
  const omitted: string[] = []
  const device = paths.get(deviceId)
  if (device) object['device'] = device
  else if (deviceId !== 0) omitted.push(`the device ${deviceId}`)
  if (childrenFilter) {
    const { isFull: _, groupId, ...filter } = childrenFilter
    const group = paths.get(groupId)
    object['childrenFilter'] = { ...filter, ...(group ? { group } : { groupId }) }
  }
  const linked = await finder.linked(one)
  const elsewhere = linked.filter(({ id }) => !paths.has(id))
  omitted.push(...elsewhere.map(({ type, name, id }) => `the ${type} "${name}" (${id})`))
  if (linked.length > 0 && elsewhere.length === 0)
    object['children'] = linked.map(({ type, id, weight = 1, stateOverrides = {} }) => ({
      type,
      path: paths.get(id),
      ...(weight === 1 ? {} : { weight }),
      ...(Object.keys(stateOverrides).length === 0 ? {} : { stateOverrides }),
    }))
  return omitted.map(
    (text) => `${one.type} "${one.name}" refers to ${text}, which is not below the exported group.`,
  )
}

function settingsOf(type: ObjectType, fields: Exported): Exported {
  if (type === 'slc') return withoutNull(fields)
  return type === 'slo' ? sloFields(fields) : told(fields)
}

/** The fields without those that a new object has anyway: null, empty, false and PT0S. Thresholds are whole. */
function told(fields: Exported): Exported {
  const { parameters, ...rest } = fields
  const all = isJsonObject(parameters) ? { ...rest, parameters: withoutDefaults(parameters) } : rest
  return withoutDefaults(all)
}

/** The number of children is not a setting, and a factor of 0 is not what a new object has. */
function sloFields({ parameters, ...fields }: Exported): Exported {
  const { children: _, riskFactor, ...costs } = parameters as Exported
  return {
    ...withoutDefaults(fields),
    ...withoutDefaults({
      parameters: { ...withoutDefaults(costs), ...(riskFactor === 1 ? {} : { riskFactor }) },
    }),
  }
}

function withoutNull(fields: Exported): Exported {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function withoutDefaults(fields: Exported): Exported {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)))
}

function isDefault(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true
  return value === 'PT0S' || (typeof value === 'object' && Object.keys(value).length === 0)
}

async function linksOf({ client, recipients }: Export, { type, id }: Listed): Promise<readonly Exported[]> {
  const { links } = await client.read<{
    readonly links: readonly (Exported & { readonly recipientId: number | null })[]
  }>(`/${type}/${id}/alarmLinks`)
  return links.map(({ recipientId, id: _id, ...link }) => ({
    recipient: recipientId === null ? null : (recipients.get(recipientId) ?? null),
    ...link,
  }))
}
