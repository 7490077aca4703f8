import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { durationMs, durationText } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import { closeOfLinks } from '../../alarms/service.ts'
import { unknownRecipients } from '../../notifications/recipients/service/reading.ts'
import type { ParentPath } from '../../tree/browse/schema.ts'
import { refuseStale, requireObject, touchObject } from '../../tree/service.ts'
import { commit } from '../../../ports/database.ts'
import type { Database } from '../../../ports/database.ts'
import type { LinksBody, LinksView } from '../schema.ts'
import * as store from '../store/links.ts'

/** Where the alarms of an object, or of what is below it, come from. @throws {Refusal} not_found */
export async function readLinks(
  context: Context,
  { parentType, parentId }: ParentPath,
): Promise<{ view: LinksView; version: number }> {
  const { version } = await requireObject(context, parentId, { type: parentType, right: 'read' })
  const rows = await store.readLinks(context.ports.database, parentId)
  const links = rows.map(({ delayMs, recoveryDelayMs, ...row }) => ({
    ...row,
    delay: durationText(delayMs),
    recoveryDelay: durationText(recoveryDelayMs),
    events: [...row.events],
  }))
  return { view: { links }, version }
}

/** Says where the alarms of an object come from, instead of what was said before. Alarms of links that go are closed.
 * @throws {Refusal} not_found, forbidden, precondition_failed, invalid for an id that is not one of its links, or a recipient
 * that is not there */
export async function replaceLinks(
  context: Context,
  asked: ParentPath,
  { body, ifMatch }: { readonly body: LinksBody; readonly ifMatch: number | null },
): Promise<{ view: LinksView; version: number }> {
  const { database, clock, flow } = context.ports
  const { parentType, parentId } = asked
  const row = await requireObject(context, parentId, { type: parentType, right: 'write' })
  const before = await store.readLinks(database, parentId)
  const known = new Set(before.map(({ id }) => id))
  const foreign = body.links.findIndex(({ id }) => id !== undefined && !known.has(id))
  if (foreign >= 0) {
    const fault = { pointer: `/links/${foreign}/id`, message: 'is no link of this object' }
    throw new Refusal('invalid', 'There is no such link.', [fault])
  }
  await refuseUnknownRecipients(database, body)
  const links = body.links.map(({ id, delay, recoveryDelay, ...link }): store.NewLink => ({
    ...link,
    id: id ?? null,
    delayMs: durationMs(delay),
    recoveryDelayMs: durationMs(recoveryDelay),
  }))
  const stay = new Set(links.map(({ id }) => id))
  const gone = [...known].filter((id) => !stay.has(id))
  const writes = [
    touchObject(database, row, ifMatch),
    ...(gone.length > 0 ? closeOfLinks(database, gone, clock.now()) : []),
    ...store.replaceLinks(database, parentId, { links, gone }),
    audited(context, {
      action: 'update alarm links',
      objectType: parentType,
      objectId: parentId,
      before: { links: before },
      after: { links: body.links },
    }),
  ]
  try {
    await refuseStale(() => commit(database, writes))
  } catch (error) {
    // One has been deleted meanwhile.
    if (store.isWithoutRecipient(error)) await refuseUnknownRecipients(database, body)
    throw error
  }
  await flow.settle()
  return readLinks(context, asked)
}

async function refuseUnknownRecipients(database: Database, { links }: LinksBody): Promise<void> {
  const places = await unknownRecipients(
    database,
    links.map(({ recipientId }) => recipientId),
  )
  if (places.length === 0) return
  const faults = places.map((place) => ({
    pointer: `/links/${place}/recipientId`,
    message: 'is not there',
  }))
  throw new Refusal('invalid', 'There is no such recipient; see errors.', faults)
}
