import { CommandFailure } from '../../../server/failures.ts'
import { jsonOf, RequestFailure } from '../client.ts'
import type { Client } from '../client.ts'
import { Finder } from './finder.ts'
import type { Parent } from './finder.ts'
import type { Link, ObjectType } from './manifest.ts'
import { COLLECTIONS } from './plan.ts'
import type { Leftover, Plan, RecipientStep } from './plan.ts'
import { foundChildren, foundReferences } from './references.ts'
import type { FoundReferences } from './references.ts'
import type { Step } from './step.ts'

type Created = { readonly id: number }

const JSON_BODY = { 'content-type': 'application/json' }
const NOT_FOUND = 404
const INVALID = 422
const SERVICE_TYPES: ReadonlySet<ObjectType> = new Set(['slo', 'slc'])

type ExecuteOptions = {
  readonly below: number
  readonly prunes: boolean
  /** Called after each object that is saved or deleted. */
  readonly advance: () => void
}

/** Carries a plan out: recipients, then objects from the top down, then service level objects and containers, which refer to
 * objects, then, with `prunes`, the deletion of leftovers. A failure ends it; the next plan has the rest.
 * @throws {RangeError} naming the object or recipient, also where another made or changed it after the plan */
export async function execute(
  client: Client,
  plan: Plan,
  { below, prunes, advance }: ExecuteOptions,
): Promise<void> {
  const parent: Parent = { type: 'group', id: below }
  const recipientIds = await saveRecipients(client, plan.recipients)
  const services: Placed[] = []
  await saveObjects({ client, recipientIds, services, advance }, { steps: plan.steps, parentId: below })
  await saveServices({ client, recipientIds, services, advance }, parent)
  if (!prunes) return
  for (const leftover of plan.leftovers) {
    await remove(client, leftover)
    advance()
  }
}

/** @returns the ids of all recipients by their names */
async function saveRecipients(
  client: Client,
  steps: readonly RecipientStep[],
): Promise<ReadonlyMap<string, number>> {
  for (const { wanted, id, etag, changes } of steps) {
    const body = JSON.stringify(wanted)
    await naming(`recipient "${wanted.name}"`, async () => {
      if (id === null) await client.ask('POST', '/alarmrecipients', body, JSON_BODY)
      else if (changes.length > 0)
        await client.ask('PATCH', `/alarmrecipients/${id}`, body, jsonOfVersion(etag))
    })
  }
  const { items } = await client.read<{
    readonly items: readonly { readonly id: number; readonly name: string }[]
  }>('/alarmrecipients')
  return new Map(items.map(({ id, name }) => [name, id]))
}

type Placed = { readonly step: Step; readonly parentId: number }
/** An object after a write, and its version then, for the If-Match of the next write. */
type Saved = { readonly id: number; readonly etag: string | null }
type Saving = {
  readonly client: Client
  readonly recipientIds: ReadonlyMap<string, number>
  /** The service level objects and containers so far, which are saved after all other objects. */
  readonly services: Placed[]
  readonly advance: () => void
}

async function saveObjects(
  saving: Saving,
  { steps, parentId }: { readonly steps: readonly Step[]; readonly parentId: number },
): Promise<void> {
  for (const step of steps) {
    if (SERVICE_TYPES.has(step.wanted.type)) saving.services.push({ step, parentId })
    else {
      const { id } = await naming(nameOf(step), () => saveWithLinks(saving, { step, parentId }, {}))
      saving.advance()
      await saveObjects(saving, { steps: step.children, parentId: id })
    }
  }
}

/** First all of them, then their children, which may be others of them. */
async function saveServices(
  { client, recipientIds, services, advance }: Saving,
  parent: Parent,
): Promise<void> {
  const finder = new Finder(client)
  const saved: (Saved & { readonly step: Step })[] = []
  for (const placed of services) {
    const { step } = placed
    const one = await naming(nameOf(step), async () => {
      const found = await foundReferences(step.wanted, finder, parent)
      return saveWithLinks({ client, recipientIds }, placed, found)
    })
    saved.push({ ...one, step })
    advance()
  }
  const after = new Finder(client)
  for (const { step, id, etag } of saved) {
    const { type, references } = step.wanted
    const children = references.children ?? []
    const isChanged = step.id === null ? children.length > 0 : step.childChanges.length > 0
    if (!isChanged) continue
    await naming(nameOf(step), async () => {
      const items = await foundChildren(children, after, parent)
      await client.ask('PUT', `/${type}/${id}/children`, JSON.stringify({ items }), jsonOfVersion(etag))
    })
  }
}

function nameOf({ wanted, path }: Step): string {
  return `${wanted.type} "${path}"`
}

/** @throws {RangeError} naming the object or recipient in the manifest */
async function naming<Result>(name: string, save: () => Promise<Result>): Promise<Result> {
  try {
    return await save()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = `${name}: ${error.message}\nThe steps before it are applied.`
    const again = `${message} Apply the manifest again.`
    if (error instanceof CommandFailure) throw new CommandFailure(error.exitCode, again, { cause: error })
    // Such as credentials that have expired, or the work of another `apply`.
    if (error instanceof RequestFailure && error.status !== INVALID) throw new RangeError(again)
    throw new RangeError(`${message} Mend the manifest and apply it again.`)
  }
}

async function saveWithLinks(
  { client, recipientIds }: Pick<Saving, 'client' | 'recipientIds'>,
  { step, parentId }: Placed,
  found: FoundReferences,
): Promise<Saved> {
  const { wanted, linkChanges } = step
  const { type, links } = wanted
  const saved = await saveObject(client, { step, parentId }, found)
  if (links === null || (step.id !== null && linkChanges.length === 0)) return saved
  const body = linksBody(links, recipientIds)
  const response = await client.ask('PUT', `/${type}/${saved.id}/alarmLinks`, body, jsonOfVersion(saved.etag))
  return { id: saved.id, etag: response.headers.get('etag') }
}

async function saveObject(
  client: Client,
  { step, parentId }: Placed,
  found: FoundReferences,
): Promise<Saved> {
  const { wanted, id, etag, changes, properties } = step
  const path = `/${COLLECTIONS[wanted.type]}`
  const body = JSON.stringify({ name: wanted.name, ...wanted.settings, ...found, properties })
  if (id === null) {
    const headers = { ...JSON_BODY, 'if-none-match': '*' }
    const response = await client.ask('POST', `${path}?parentId=${parentId}`, body, headers)
    return { id: (await jsonOf<Created>(response)).id, etag: response.headers.get('etag') }
  }
  if (changes.length === 0) return { id, etag }
  const response = await client.ask('PATCH', `${path}/${id}`, body, jsonOfVersion(etag))
  return { id, etag: response.headers.get('etag') }
}

function linksBody(links: readonly Link[], recipientIds: ReadonlyMap<string, number>): string {
  const body = links.map(({ recipient, ...link }) => ({
    ...link,
    recipientId: recipient === null ? null : recipientIds.get(recipient),
  }))
  return JSON.stringify({ links: body })
}

/** The header fields of a write that another change since this version refuses. */
function jsonOfVersion(etag: string | null): Readonly<Record<string, string>> {
  return { ...JSON_BODY, ...ofVersion(etag) }
}

function ofVersion(etag: string | null): Readonly<Record<string, string>> {
  return etag === null ? {} : { 'if-match': etag }
}

async function remove(client: Client, { type, id, etag }: Leftover): Promise<void> {
  try {
    await client.ask('DELETE', `/${COLLECTIONS[type]}/${id}`, undefined, ofVersion(etag))
  } catch (error) {
    // It is gone with the object that it was in.
    if (!(error instanceof RequestFailure) || error.status !== NOT_FOUND) throw error
  }
}
