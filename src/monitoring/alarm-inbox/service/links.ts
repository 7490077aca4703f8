import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { durationMs, durationText } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import { closeOfLinks, countOpenOfLinks, readdressLinks } from '../../alarms/service.ts'
import { unknownRecipients } from '../../notifications/recipients/service/reads.ts'
import type { ParentPath } from '../../tree/browse/schema.ts'
import { refuseStale, requireObject, touchObject } from '../../tree/service.ts'
import type { Database } from '../../../ports/database.ts'
import type { LinksBody, LinksView } from '../schema.ts'
import * as store from '../store/links.ts'

/** The alarm links of an object. @throws {Refusal} not_found */
export async function readLinks(
  context: Context,
  { parentType, parentId }: ParentPath,
): Promise<{ view: LinksView; version: number }> {
  const { version } = await requireObject(context, parentId, { type: parentType, right: 'read' })
  const rows = await store.readLinks(context.ports.database, parentId)
  return { view: { links: rows.map(viewOf), warnings: [] }, version }
}

function viewOf({ id, delayMs, recoveryDelayMs, covers, minState, recipientId, events }: store.LinkRow) {
  const delays = { delay: durationText(delayMs), recoveryDelay: durationText(recoveryDelayMs) }
  return { id, covers, minState, recipientId, ...delays, events: [...events] }
}

/** Replaces the links of an object. A link keeps its open alarms if its `id` is given, or if a link without `id` has
 * the same content; a new recipient is notified of these alarms. Alarms of removed links close. New or wider links open
 * alarms for objects that are in a bad state now.
 * @throws {Refusal} not_found, forbidden, precondition_failed, invalid for an id that is not one of the object's links,
 * or for an unknown recipient */
export async function replaceLinks(
  context: Context,
  { parentType, parentId }: ParentPath,
  { body, ifMatch }: { readonly body: LinksBody; readonly ifMatch: number | null },
): Promise<{ view: LinksView; version: number }> {
  const { database, clock, flow } = context.ports
  const row = await requireObject(context, parentId, { type: parentType, right: 'write' })
  const before = await store.readLinks(database, parentId)
  const known = new Set(before.map(({ id }) => id))
  const foreign = body.links.findIndex(({ id }) => id !== undefined && !known.has(id))
  if (foreign >= 0) {
    const fault = { pointer: `/links/${foreign}/id`, message: 'must be the id of a link of this object' }
    throw new Refusal('invalid', 'A link does not belong to this object; see errors.', [fault])
  }
  await refuseUnknownRecipients(database, body)
  const links = linksOf(body, before)
  const stay = new Set(links.map(({ id }) => id))
  const gone = [...known].filter((id) => !stay.has(id))
  const readdressed = links.flatMap(({ id, recipientId }) =>
    before.some((link) => link.id === id && link.recipientId !== recipientId) && id !== null ? [id] : [],
  )
  const closed = await countOpenOfLinks(database, gone)
  // Links of another caller that came since the read would stay beside these.
  const touch = touchObject(database, row, ifMatch ?? row.version)
  const writes = [
    ...(gone.length > 0 ? closeOfLinks(database, gone, clock.now()) : []),
    ...readdressLinks(database, readdressed, clock.now()),
    store.removeLinks(database, gone),
    audited(context, {
      action: 'update alarm links',
      objectType: parentType,
      objectId: parentId,
      before: { links: before },
      after: { links: body.links },
    }),
    store.saveLinks(database, parentId, links),
  ]
  const stored = await refuseStale(() => database.batch([touch, ...writes])).catch(async (error: unknown) => {
    // A recipient was deleted between the check and the commit.
    if (store.isWithoutRecipient(error)) await refuseUnknownRecipients(database, body)
    throw error
  })
  await flow.runDue()
  const ids = new Map(
    (stored.at(-1) as readonly store.StoredLink[]).map(({ position, id }) => [position, id]),
  )
  return {
    view: {
      links: links.map((link, position) => viewOf({ ...link, id: ids.get(position) ?? 0 })),
      warnings: closed === 0 ? [] : [closedWarning(closed)],
    },
    version: row.version + 1,
  }
}

function closedWarning(count: number): LinksView['warnings'][number] {
  const alarms = count === 1 ? '1 open alarm was' : `${count} open alarms were`
  return { code: 'alarms_closed', message: `${alarms} closed with the links that were removed.` }
}

/** The links to store, each with the id of the existing link that it continues. */
function linksOf({ links }: LinksBody, before: readonly store.LinkRow[]): readonly store.NewLink[] {
  const rows = links.map(({ id, delay, recoveryDelay, ...link }) => ({
    ...link,
    id: id ?? null,
    delayMs: durationMs(delay),
    recoveryDelayMs: durationMs(recoveryDelay),
  }))
  const free = new Set(before)
  for (const row of rows) for (const link of free) if (link.id === row.id) free.delete(link)
  // Links with the same recipient are matched first: of two links that differ only in the recipient, each keeps its own
  // alarms.
  for (const contentOf of [recipientAndContent, content]) {
    for (const row of rows) {
      if (row.id !== null) continue
      const same = [...free].find((link) => contentOf(link) === contentOf(row))
      if (!same) continue
      row.id = same.id
      free.delete(same)
    }
  }
  return rows.map((row) => {
    const was = before.find(({ id }) => id === row.id)
    return { ...row, isWider: was?.covers !== row.covers || was.minState !== row.minState }
  })
}

type Content = Omit<store.LinkRow, 'id'>

/** The content that identifies a link, without its recipient. */
function content({ covers, minState, delayMs, recoveryDelayMs, events }: Content): string {
  return JSON.stringify([covers, minState, delayMs, recoveryDelayMs, events.toSorted()])
}

function recipientAndContent(link: Content): string {
  return `${link.recipientId} ${content(link)}`
}

async function refuseUnknownRecipients(database: Database, { links }: LinksBody): Promise<void> {
  const places = await unknownRecipients(
    database,
    links.map(({ recipientId }) => recipientId),
  )
  if (places.length === 0) return
  const faults = places.map((place) => ({
    pointer: `/links/${place}/recipientId`,
    message: 'must be the id of an existing recipient',
  }))
  throw new Refusal('invalid', 'A recipient does not exist; see errors.', faults)
}
