import { RequestFailure } from '../client.ts'
import type { Client } from '../client.ts'
import type { Link } from './manifest.ts'
import { COLLECTIONS } from './plan.ts'
import type { Leftover, Plan, RecipientStep, Step } from './plan.ts'

type Created = { readonly id: number }

const JSON_BODY = { 'content-type': 'application/json' }
const NOT_FOUND = 404

/** Carries a plan out: recipients, then objects from the top down, then, with `prunes`, the deletion of leftovers. A failure
 * ends it; the next plan has the rest.
 * @throws {RangeError} naming the object, also where it was changed after the plan */
export async function execute(
  client: Client,
  plan: Plan,
  { below, prunes }: { readonly below: number; readonly prunes: boolean },
): Promise<void> {
  const recipientIds = await saveRecipients(client, plan.recipients)
  await saveObjects(client, recipientIds, { steps: plan.steps, parentId: below })
  if (!prunes) return
  for (const leftover of plan.leftovers) await remove(client, leftover)
}

/** @returns the ids of all recipients by their names */
async function saveRecipients(
  client: Client,
  steps: readonly RecipientStep[],
): Promise<ReadonlyMap<string, number>> {
  for (const { wanted, id, changes } of steps) {
    const body = JSON.stringify(wanted)
    if (id === null) await client.ask('POST', '/alarmrecipients', body, JSON_BODY)
    else if (changes.length > 0) await client.ask('PATCH', `/alarmrecipients/${id}`, body, JSON_BODY)
  }
  const { items } = await client.read<{
    readonly items: readonly { readonly id: number; readonly name: string }[]
  }>('/alarmrecipients')
  return new Map(items.map(({ id, name }) => [name, id]))
}

async function saveObjects(
  client: Client,
  recipientIds: ReadonlyMap<string, number>,
  { steps, parentId }: { readonly steps: readonly Step[]; readonly parentId: number },
): Promise<void> {
  for (const step of steps) {
    const id = await saveWithLinks(client, recipientIds, { step, parentId })
    await saveObjects(client, recipientIds, { steps: step.children, parentId: id })
  }
}

/** @throws {RangeError} naming the object in the manifest */
async function saveWithLinks(
  client: Client,
  recipientIds: ReadonlyMap<string, number>,
  { step, parentId }: { readonly step: Step; readonly parentId: number },
): Promise<number> {
  const { wanted, path, linkChanges } = step
  const { type, links } = wanted
  try {
    const id = await saveObject(client, step, parentId)
    if (links !== null && (step.id === null || linkChanges.length > 0))
      await saveLinks(client, `/${type}/${id}/alarmLinks`, links, recipientIds)
    return id
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    throw new RangeError(
      `${type} "${path}": ${error.message}\nThe steps before it are applied. Mend the manifest and apply it again.`,
    )
  }
}

async function saveObject(client: Client, step: Step, parentId: number): Promise<number> {
  const { wanted, id, etag, changes, properties } = step
  const path = `/${COLLECTIONS[wanted.type]}`
  const body = JSON.stringify({ name: wanted.name, ...wanted.settings, properties })
  if (id === null) return (await client.json<Created>('POST', `${path}?parentId=${parentId}`, body)).id
  if (changes.length > 0)
    await client.ask('PATCH', `${path}/${id}`, body, {
      ...JSON_BODY,
      ...(etag === null ? {} : { 'if-match': etag }),
    })
  return id
}

async function saveLinks(
  client: Client,
  path: string,
  links: readonly Link[],
  recipientIds: ReadonlyMap<string, number>,
): Promise<void> {
  const body = links.map(({ recipient, ...link }) => ({
    ...link,
    recipientId: recipient === null ? null : recipientIds.get(recipient),
  }))
  await client.ask('PUT', path, JSON.stringify({ links: body }), JSON_BODY)
}

async function remove(client: Client, { type, id }: Leftover): Promise<void> {
  try {
    await client.ask('DELETE', `/${COLLECTIONS[type] ?? type}/${id}`)
  } catch (error) {
    // It is gone with the object that it was in.
    if (!(error instanceof RequestFailure) || error.status !== NOT_FOUND) throw error
  }
}
