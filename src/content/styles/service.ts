import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { holdToTag } from '../../http/preconditions.ts'
import { nameTaken, noSuch, Refusal } from '../../lib/errors.ts'
import { retryOnConflict } from '../../lib/retry.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit, fullDetail, isUniqueViolation, refuseFull } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { StyleView } from './schema.ts'
import * as store from './store.ts'
import type { StyleFacts, StyleRow } from './store.ts'

/** The largest style: a style is a row of the database. */
export const STYLE_MAX_BYTES = 256 * 1024
const STYLES_MAX = 100
const FULL = fullDetail(STYLES_MAX, 'styles')

/** The style for all users, signed in or not. */
export const PUBLIC_STYLE = 'custom.css'

export type Style = { readonly view: StyleView; readonly text: string }

/** The styles, by name; there are 100 at most. */
export async function listStyles({ ports }: Context): Promise<StyleView[]> {
  return (await store.listStyles(ports.database)).map((row) => viewOf(ports, row))
}

/** @throws {Refusal} not_found */
export async function readStyle({ ports }: Context, name: string): Promise<Style> {
  return styleOf(ports, await findStyle(ports, name))
}

/** The public style; null without one. */
export async function readPublicStyle({ ports }: Context): Promise<Style | null> {
  const row = await store.findStyle(ports.database, PUBLIC_STYLE)
  return row && styleOf(ports, row)
}

/** Adds a style. @throws {Refusal} name_taken, conflict when there are 100, invalid when it is not text */
export async function createStyle(context: Context, name: string, bytes: Uint8Array): Promise<StyleView> {
  const { database } = context.ports
  const row = await rowOf(context, name, bytes)
  const entry = audited(context, {
    action: 'create',
    objectType: 'style',
    objectId: name,
    after: auditFieldsOf(row),
  })
  try {
    const writes = [store.insertStyle(database, row, STYLES_MAX), entry]
    await refuseFull('styles', FULL, () => commit(database, writes), 'updated_at')
  } catch (error) {
    throw isUniqueViolation(error, 'styles.name') ? nameTaken('style', '{filename}') : error
  }
  return viewOf(context.ports, sized(row))
}

/** Puts a style in place of the one of this name, or adds it.
 * @throws {Refusal} conflict when it is new and there are 100, invalid when it is not text, precondition_failed */
export async function replaceStyle(
  context: Context,
  name: string,
  bytes: Uint8Array,
): Promise<{ style: StyleView; isNew: boolean }> {
  const { database } = context.ports
  const row = await rowOf(context, name, bytes)
  return retryOnConflict(store.isOvertaken, async () => {
    const before = await store.findStyle(database, name)
    holdToTag(context, before && etagOf(before))
    const entry = audited(context, {
      action: before ? 'update' : 'create',
      objectType: 'style',
      objectId: name,
      before: before && auditFieldsOf(before),
      after: auditFieldsOf(row),
    })
    const write = store.replaceStyle(database, row, { before: before?.digest ?? null, max: STYLES_MAX })
    await refuseFull('styles', FULL, () => commit(database, [write, entry]), 'updated_at')
    return { style: viewOf(context.ports, sized(row)), isNew: before === null }
  })
}

/** @throws {Refusal} not_found, precondition_failed */
export function deleteStyle(context: Context, name: string): Promise<void> {
  const { database } = context.ports
  return retryOnConflict(store.isOvertaken, async () => {
    const row = await findStyle(context.ports, name)
    holdToTag(context, etagOf(row))
    const entry = audited(context, {
      action: 'delete',
      objectType: 'style',
      objectId: name,
      before: auditFieldsOf(row),
    })
    await commit(database, [...store.deleteStyle(database, row), entry])
  })
}

async function rowOf({ ports }: Context, name: string, bytes: Uint8Array): Promise<StyleRow> {
  const text = textOf(bytes)
  return { name, text, digest: await sha256(text), updatedAt: ports.clock.now() }
}

function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // The refusal below covers both faults.
  }
  const fault = { pointer: '', message: 'must be text in UTF-8' }
  throw new Refusal('invalid', 'The style is invalid; see errors.', [fault])
}

async function findStyle({ database }: Ports, name: string): Promise<StyleRow> {
  const row = await store.findStyle(database, name)
  if (!row) throw noSuch('style')
  return row
}

function styleOf(ports: Ports, row: StyleRow): Style {
  return { view: viewOf(ports, sized(row)), text: row.text }
}

function sized(row: StyleRow): StyleFacts {
  return { ...row, sizeBytes: new TextEncoder().encode(row.text).byteLength }
}

function viewOf({ settings }: Ports, { name, sizeBytes, digest, updatedAt }: StyleFacts): StyleView {
  return {
    name,
    size: sizeBytes,
    etag: etagOf({ digest }),
    updatedAt: timeFormat(settings.timeZone)(updatedAt),
    url: `${settings.basePath}/styles/${encodeURIComponent(name)}`,
  }
}

function etagOf({ digest }: Pick<StyleRow, 'digest'>): string {
  return `"${digest}"`
}

function auditFieldsOf({ name, text, digest }: StyleRow) {
  return { name, characters: text.length, sha256: digest }
}
