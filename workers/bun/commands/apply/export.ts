import { stringify } from 'yaml'

import type { Client } from '../client.ts'
import { MARKER } from './manifest.ts'
import { COLLECTIONS, pathOf } from './plan.ts'

type Child = { readonly id: number; readonly type: string; readonly by: string }
type View = {
  readonly name: string
  readonly properties: readonly { readonly key: string; readonly value: string }[]
} & Readonly<Record<string, unknown>>
type Exported = Record<string, unknown>

/** The fields of each type that a manifest has; the others are its state, or follow from its place. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  group: [],
  device: ['address', 'netmask', 'parameter'],
  job: ['interval', 'stopped', 'parameters', 'thresholds', 'flapping', 'stateForced'],
}
const LISTS: Readonly<Record<string, string>> = COLLECTIONS

/** The groups, devices and jobs below a group with their alarm links, as a YAML document of a manifest. Recipients are named
 * and not exported: their targets may have secrets. */
export async function exportManifest(client: Client, group: number, manifest: string): Promise<string> {
  const { items } = await client.read<{
    readonly items: readonly { readonly id: number; readonly name: string }[]
  }>('/alarmrecipients')
  const names = new Map(items.map(({ id, name }) => [id, name]))
  const below = await childrenOf(client, { type: 'group', id: group }, names)
  return stringify({ manifest, ...below }, { lineWidth: 120 })
}

async function childrenOf(
  client: Client,
  { type, id }: { readonly type: string; readonly id: number },
  names: ReadonlyMap<number, string>,
): Promise<Exported> {
  const { items } = await client.read<{ readonly items: readonly Child[] }>(`/${type}/${id}/children`)
  const lists: Record<string, Exported[]> = {}
  for (const child of items) {
    const list = LISTS[child.type]
    if (child.by === 'tree' && list !== undefined)
      (lists[list] ??= []).push(await exported(client, child, names))
  }
  return lists
}

async function exported(client: Client, child: Child, names: ReadonlyMap<number, string>): Promise<Exported> {
  const { type, id } = child
  const view = await client.read<View>(pathOf(type, id))
  const properties = view.properties.filter(({ key }) => key !== MARKER)
  const links = await linksOf(client, child, names)
  return {
    name: view.name,
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])) }),
    ...told(Object.fromEntries((FIELDS[type] ?? []).map((field) => [field, view[field]]))),
    ...(links.length === 0 ? {} : { alarmLinks: links }),
    ...(type === 'job' ? {} : await childrenOf(client, child, names)),
  }
}

/** The fields without those that a new object has anyway: null, empty, false and PT0S. Thresholds are whole. */
function told(fields: Exported): Exported {
  const { parameters, ...rest } = fields
  const all = isRecord(parameters) ? { ...rest, parameters: withoutDefaults(parameters) } : rest
  return withoutDefaults(all)
}

function withoutDefaults(fields: Exported): Exported {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)))
}

function isDefault(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true
  return value === 'PT0S' || (typeof value === 'object' && Object.keys(value).length === 0)
}

function isRecord(value: unknown): value is Exported {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function linksOf(
  client: Client,
  { type, id }: Child,
  names: ReadonlyMap<number, string>,
): Promise<readonly Exported[]> {
  const { links } = await client.read<{
    readonly links: readonly (Exported & { readonly recipientId: number | null })[]
  }>(`/${type}/${id}/alarmLinks`)
  return links.map(({ recipientId, id: _id, ...link }) => ({
    recipient: recipientId === null ? null : (names.get(recipientId) ?? null),
    ...link,
  }))
}
