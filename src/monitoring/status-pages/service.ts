import { seal, unseal } from '../../access/session/keys.ts'
import { audited } from '../../access/audit/service.ts'
import { permissionsOf } from '../../access/rights/permissions.ts'
import { rightsOf, writableBy } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { Refusal } from '../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { base64url } from '../../lib/text.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { ObjectRow } from '../tree/service.ts'
import { requireObject } from '../tree/service.ts'
import type { ObjectType } from '../tree/schema.ts'
import type { ListedStatusPage, StatusPageBody, StatusPageView } from './schema.ts'
import { forgetShown } from './service/public-page.ts'
import * as store from './store.ts'

export { showBadge, showPage } from './service/public-page.ts'

const TOKEN_BYTES = 32

export type StatusPageParent = { readonly parentType: ObjectType; readonly parentId: number }

/** The status pages of objects that the caller may change: their addresses are secrets of those who may publish them.
 * @throws {Refusal} invalid for a cursor of another list */
export async function listStatusPages(
  context: Context,
  { limit, cursor }: Page,
): Promise<{ readonly items: readonly ListedStatusPage[]; readonly next: string | null }> {
  const { ports } = context
  const rows = await store.listPages(ports.database, {
    writable: writableBy(await rightsOf(context), 'p'),
    afterId: cursor === undefined ? 0 : decodeNumber(cursor),
    limit: limit + 1,
  })
  const { shown, next } = pageOf(rows, limit, ({ objectId }) => objectId)
  const items = shown.map(
    async ({ objectId: id, type, name, state, title, days, components, ...sealed }) => ({
      object: { id, type, name, state },
      title,
      days,
      components,
      ...(await pathsOf(ports, sealed)),
    }),
  )
  return { items: await Promise.all(items), next }
}

/** The contents and the addresses of a status page. @throws {Refusal} not_found, also without a status page;
 * forbidden */
export async function readStatusPage(context: Context, asked: StatusPageParent): Promise<StatusPageView> {
  await requireWritable(context, asked)
  return viewOf(context.ports, await requirePage(context, asked.parentId))
}

/** Creates the status page of an object, or changes its contents.
 * @throws {Refusal} not_found, forbidden, also for components; invalid for components that are not below the object */
export async function saveStatusPage(
  context: Context,
  asked: StatusPageParent,
  { days, children, title }: StatusPageBody,
): Promise<StatusPageView> {
  const { ports } = context
  const object = await requireWritable(context, asked)
  await requireChildren(context, object, children)
  const before = await store.findStatusPage(ports.database, object.id)
  const row = { ...(before ?? (await newAddresses(ports))), objectId: object.id, days, title }
  await commit(ports.database, [
    ...store.savePage(ports.database, row, children),
    audited(context, {
      action: before ? 'update' : 'create',
      objectType: 'status page',
      objectId: object.id,
      after: { days, children, title },
    }),
  ])
  forgetShown(ports)
  // A concurrent request may have created the page first: its addresses are kept.
  return viewOf(ports, await requirePage(context, object.id))
}

/** Gives the page and the badge new addresses; the old ones stop working. @throws {Refusal} not_found, forbidden */
export async function moveStatusPage(context: Context, asked: StatusPageParent): Promise<StatusPageView> {
  const { ports } = context
  const { id } = await requireWritable(context, asked)
  await requirePage(context, id)
  await commit(ports.database, [
    store.moveAddresses(ports.database, id, await newAddresses(ports)),
    audited(context, { action: 'move', objectType: 'status page', objectId: id }),
  ])
  forgetShown(ports)
  return viewOf(ports, await requirePage(context, id))
}

/** Deletes the status page of an object. @throws {Refusal} not_found, forbidden */
export async function deleteStatusPage(context: Context, asked: StatusPageParent): Promise<void> {
  const { ports } = context
  const { id } = await requireWritable(context, asked)
  const { days } = await requirePage(context, id)
  await commit(ports.database, [
    store.deletePage(ports.database, id),
    audited(context, { action: 'delete', objectType: 'status page', objectId: id, before: { days } }),
  ])
  forgetShown(ports)
}

function requireWritable(context: Context, { parentType, parentId }: StatusPageParent): Promise<ObjectRow> {
  return requireObject(context, parentId, { type: parentType, right: 'write' })
}

async function requirePage({ ports }: Context, objectId: number): Promise<store.StatusPageRow> {
  const page = await store.findStatusPage(ports.database, objectId)
  if (!page) throw new Refusal('not_found', 'The object has no status page.')
  return page
}

/** The caller needs the right to write each component, because the page makes its state public. */
async function requireChildren(context: Context, object: ObjectRow, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rights = await rightsOf(context)
  const found = await store.readCandidates(context.ports.database, object.id, ids)
  const candidates = new Map(found.map((one) => [one.id, one]))
  for (const [index, id] of ids.entries()) {
    const candidate = candidates.get(id)
    const may = candidate && permissionsOf(rights, { type: '', runBy: 0, path: candidate.path })
    const fault = (message: string) => [{ pointer: `/children/${index}`, message }]
    if (!candidate || !may?.read)
      throw new Refusal(
        'not_found',
        'A component does not exist; see errors.',
        fault('must be the id of an object that you can read'),
      )
    if (!may.write)
      throw new Refusal(
        'forbidden',
        'You have no right to publish a component; see errors.',
        fault('must be an object that you have the right to write'),
      )
    if (!candidate.isBelow)
      throw new Refusal(
        'invalid',
        'A component is not below the object; see errors.',
        fault('must be below the object or linked to it'),
      )
  }
}

async function newAddresses(ports: Ports): Promise<store.Addresses> {
  const [page, badge] = [await newToken(ports, 'status page'), await newToken(ports, 'badge')]
  return { pageHash: page.hash, pageSealed: page.sealed, badgeHash: badge.hash, badgeSealed: badge.sealed }
}

/** The token is found by its hash, and is also stored encrypted, because editors need to read the address again. */
async function newToken({ secrets }: Ports, purpose: string) {
  const bytes = secrets.random(TOKEN_BYTES)
  return { hash: await sha256(base64url(bytes)), sealed: await seal(secrets, bytes, purpose) }
}

async function viewOf(ports: Ports, page: store.StatusPageRow): Promise<StatusPageView> {
  const [children, paths] = await Promise.all([
    store.readChildren(ports.database, page.objectId),
    pathsOf(ports, page),
  ])
  return { title: page.title, days: page.days, children: [...children], ...paths }
}

async function pathsOf({ secrets, settings }: Ports, sealed: store.Addresses) {
  const [pageBytes, badgeBytes] = await Promise.all([
    unseal(secrets, sealed.pageSealed, 'status page'),
    unseal(secrets, sealed.badgeSealed, 'badge'),
  ])
  return {
    page: `${settings.basePath}/status/${base64url(pageBytes)}`,
    badge: `${settings.basePath}/badges/${base64url(badgeBytes)}`,
  }
}
