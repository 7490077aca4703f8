import { jsonOf } from '../client.ts'
import type { Client } from '../client.ts'
import { differences } from './difference.ts'
import type { Difference } from './difference.ts'
import { Finder } from './finder.ts'
import type { Listed, Parent } from './finder.ts'
import { MARKER } from './manifest.ts'
import type { Manifest, ObjectType, Recipient, Wanted } from './manifest.ts'
import { eachInOrder, withReferences } from './references.ts'
import type { Actual, Property, Step } from './step.ts'

type ActualLink = Readonly<Record<string, unknown>> & { readonly recipientId: number | null }

export type RecipientStep = {
  readonly wanted: Recipient
  readonly id: number | null
  /** As in `Step`. */
  readonly etag: string | null
  readonly changes: readonly Difference[]
}

/** An object of an earlier state of the manifest that is no longer in it. */
export type Leftover = {
  readonly id: number
  /** As in `Step`. */
  readonly etag: string | null
  readonly type: ObjectType
  readonly name: string
  readonly depth: number
}

export type Plan = {
  readonly manifest: string
  readonly recipients: readonly RecipientStep[]
  readonly steps: readonly Step[]
  readonly leftovers: readonly Leftover[]
}

export const COLLECTIONS: Readonly<Record<ObjectType, string>> = {
  group: 'groups',
  device: 'devices',
  job: 'jobs',
  slo: 'slos',
  slc: 'slcs',
}

/** The path of an object with all of its fields. */
export function pathOf(type: ObjectType, id: number): string {
  return `/${COLLECTIONS[type]}/${id}${type === 'job' ? '?thresholds=true' : ''}`
}

/** Compares a manifest with the objects below a group.
 * @throws {RangeError} where another manifest manages an object, or the manifest names a recipient or an object that
 * does not exist */
export async function makePlan(client: Client, manifest: Manifest, below: number): Promise<Plan> {
  const { items } = await client.read<{ readonly items: readonly Actual[] }>('/alarmrecipients')
  const existing = new Map(items.map(({ id, name }) => [String(name), id]))
  const recipients = await eachInOrder(manifest.recipients, (wanted) =>
    recipientStep(client, wanted, existing.get(wanted.name)),
  )
  const names = new Map<number, string>(items.map(({ id, name }) => [id, String(name)]))
  const known = new Set([...existing.keys(), ...manifest.recipients.map(({ name }) => name)])
  const finder = new Finder(client)
  const planner = new Planner({ client, finder }, { manifest: manifest.name, names, known })
  const parent: Parent = { type: 'group', id: below }
  const placed = await planner.stepsOf(manifest.objects, parent, '')
  const steps = await withReferences(placed, finder, parent)
  return {
    manifest: manifest.name,
    recipients,
    steps,
    leftovers: await leftoversOf(client, manifest.name, steps, below),
  }
}

/** A target is not answered as it was sent (it may have secrets): only other fields are compared. */
async function recipientStep(
  client: Client,
  wanted: Recipient,
  id: number | undefined,
): Promise<RecipientStep> {
  if (id === undefined) return { wanted, id: null, etag: null, changes: [] }
  const response = await client.ask('GET', `/alarmrecipients/${id}`)
  const { target: _, ...fields } = wanted
  const changes = differences(fields, await jsonOf<Actual>(response))
  return { wanted, id, etag: response.headers.get('etag'), changes }
}

class Planner {
  readonly #client: Client
  readonly #finder: Finder
  readonly #known: {
    readonly manifest: string
    readonly names: ReadonlyMap<number, string>
    readonly known: ReadonlySet<string>
  }

  constructor(
    { client, finder }: { readonly client: Client; readonly finder: Finder },
    known: {
      readonly manifest: string
      readonly names: ReadonlyMap<number, string>
      readonly known: ReadonlySet<string>
    },
  ) {
    this.#client = client
    this.#finder = finder
    this.#known = known
  }

  /** The steps of objects below a parent, which is null where the parent is to be created. */
  async stepsOf(objects: readonly Wanted[], parent: Parent | null, path: string): Promise<readonly Step[]> {
    if (objects.length === 0) return []
    const children = parent ? await this.#finder.below(parent) : []
    const steps: Step[] = []
    for (const wanted of objects) {
      const named = (name: string | null) =>
        children.find((child) => child.type === wanted.type && child.name === name)
      const found = named(wanted.name) ?? named(wanted.formerName)
      steps.push(await this.#stepOf(wanted, found, `${path}${wanted.name}`))
    }
    return steps
  }

  async #stepOf(wanted: Wanted, found: Listed | undefined, path: string): Promise<Step> {
    this.#refuseUnknownRecipients(wanted, path)
    const below = `${path} / `
    if (!found) {
      const children = await this.stepsOf(wanted.children, null, below)
      const properties = propertiesAfter(wanted, [], this.#known.manifest)
      const nothing = { changes: [], linkChanges: [], childChanges: [], actual: null }
      return { wanted, path, id: null, etag: null, properties, ...nothing, children }
    }
    const { id } = found
    const response = await this.#client.ask('GET', pathOf(wanted.type, id))
    const actual = await jsonOf<Actual>(response)
    this.#refuseOthers(actual, path)
    return {
      wanted,
      path,
      id,
      etag: response.headers.get('etag'),
      properties: propertiesAfter(wanted, actual.properties, this.#known.manifest),
      changes: differences(fieldsOf(wanted), { ...actual, properties: recordOf(actual.properties, wanted) })
        .concat(markerChange(actual, this.#known.manifest))
        .concat(removedProperties(actual, wanted)),
      linkChanges: await this.#linkChanges(wanted, id),
      childChanges: [],
      actual,
      children: await this.stepsOf(wanted.children, { type: wanted.type, id }, below),
    }
  }

  #refuseUnknownRecipients({ links }: Wanted, path: string): void {
    for (const { recipient } of links ?? [])
      if (recipient !== null && !this.#known.known.has(recipient))
        throw new RangeError(
          `An alarm link of "${path}" names the recipient "${recipient}", which does not exist.`,
        )
  }

  #refuseOthers({ properties }: Actual, path: string): void {
    const other = properties.find(({ key }) => key === MARKER)?.value
    if (other !== undefined && other !== this.#known.manifest)
      throw new RangeError(
        `The manifest "${other}" manages "${path}". Remove it there, or remove the property ${MARKER} of the object.`,
      )
  }

  async #linkChanges({ type, links }: Wanted, id: number): Promise<readonly Difference[]> {
    if (links === null) return []
    const answer = await this.#client.read<{ readonly links: readonly ActualLink[] }>(
      `/${type}/${id}/alarmLinks`,
    )
    const actual = answer.links.map(({ recipientId, ...link }) => ({
      ...link,
      recipient: recipientId === null ? null : (this.#known.names.get(recipientId) ?? null),
    }))
    return differences(links, actual, 'alarmLinks')
  }
}

function fieldsOf({ name, properties, settings }: Wanted): Readonly<Record<string, unknown>> {
  return { name, ...settings, ...(properties === null ? {} : { properties }) }
}

function recordOf(properties: readonly Property[], { properties: wanted }: Wanted): Record<string, string> {
  const keys = new Set(Object.keys(wanted ?? {}))
  return Object.fromEntries(
    properties.filter(({ key }) => keys.has(key)).map(({ key, value }) => [key, value]),
  )
}

function propertiesAfter(
  { properties }: Wanted,
  actual: readonly Property[],
  manifest: string,
): readonly Property[] {
  const kept = properties === null ? actual.filter(({ key }) => key !== MARKER) : []
  const named = Object.entries(properties ?? {}).map(([key, value]) => ({ key, value }))
  return [...kept.map(({ key, value }) => ({ key, value })), ...named, { key: MARKER, value: manifest }]
}

function markerChange({ properties }: Actual, manifest: string): readonly Difference[] {
  if (properties.some(({ key }) => key === MARKER)) return []
  return [{ path: `properties.${MARKER}`, from: undefined, to: manifest }]
}

function removedProperties(actual: Actual, { properties }: Wanted): readonly Difference[] {
  if (properties === null) return []
  return actual.properties
    .filter(({ key }) => key !== MARKER && !(key in properties))
    .map(({ key, value }) => ({ path: `properties.${key}`, from: value, to: undefined }))
}

/** The objects below the group that the manifest managed and no longer names: service level containers and objects first, then
 * the deepest first. */
async function leftoversOf(
  client: Client,
  manifest: string,
  steps: readonly Step[],
  below: number,
): Promise<readonly Leftover[]> {
  const condition = { item: 'property_key', operator: 'eq', expression: manifest, propertyKey: MARKER }
  const filter = encodeURIComponent(JSON.stringify({ conditions: [condition] }))
  const { items } = await client.read<{
    readonly items: readonly (Listed & { readonly parentId: number | null })[]
  }>(`/groups/${below}/search?filterDefinition=${filter}`)
  const kept = new Set(idsOf(steps))
  const parents = new Map(items.map(({ id, parentId }) => [id, parentId]))
  const depthOf = (id: number): number => {
    const parent = parents.get(id)
    return parent === undefined || parent === null ? 0 : 1 + depthOf(parent)
  }
  const left = items
    .filter(({ id }) => !kept.has(id))
    .map(({ id, type, name }) => ({ id, type, name, depth: depthOf(id) }))
    .sort((one, other) => rankOf(other) - rankOf(one) || other.depth - one.depth)
  return eachInOrder(left, async (one) => {
    const { headers } = await client.ask('GET', pathOf(one.type, one.id))
    return { ...one, etag: headers.get('etag') }
  })
}

/** Service level objects and containers refer to others, and are deleted first. */
function rankOf({ type }: Listed): number {
  return ['slo', 'slc'].indexOf(type)
}

function idsOf(steps: readonly Step[]): readonly number[] {
  return steps.flatMap(({ id, children }) => [...(id === null ? [] : [id]), ...idsOf(children)])
}
