import type { Context } from '../../../context.ts'
import { demandedVersion, refuseStale } from '../../../http/preconditions.ts'
import { noSuch } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { readDefinition } from '../definition.ts'
import type { DashboardRef, DashboardView } from '../schema.ts'
import { changeDashboard, refuseManaged } from '../service/changes.ts'
import { requireRow, writtenView } from '../service/views.ts'
import * as store from '../store.ts'
import type { VersionRow } from '../store.ts'
import { changesBetween } from './difference.ts'
import { CHANGES_MAX } from './schema.ts'
import type { ChangeView, VersionSummary, VersionView } from './schema.ts'

type Named = { readonly ref: DashboardRef; readonly number: number }

/** The versions of a dashboard that are kept, the latest first. @throws {Refusal} not_found */
export async function listVersions(context: Context, ref: DashboardRef): Promise<VersionSummary[]> {
  const { ports } = context
  const { row } = await requireRow(context, ref, 'read')
  const rows = await store.listVersions(ports.database, row.id)
  const format = timeFormat(ports.settings.timeZone)
  return rows.map((version) => summaryOf(version, format))
}

/** @throws {Refusal} not_found */
export async function readVersion(context: Context, { ref, number }: Named): Promise<VersionView> {
  const { row } = await requireRow(context, ref, 'read')
  const version = await requireVersion(context, row.id, number)
  const definition = readDefinition(version.definition)
  if (!definition) throw noSuch('version')
  return { ...summaryOf(version, timeFormat(context.ports.settings.timeZone)), definition }
}

/** Makes an earlier version the next one. @throws {Refusal} not_found, forbidden, precondition_failed, cycle, invalid */
export async function restoreVersion(
  context: Context,
  { ref, number }: Named,
): Promise<{ readonly view: DashboardView; readonly version: number }> {
  const { row: before, sights } = await requireRow(context, ref, 'write')
  refuseStale(demandedVersion(context), before.version, 'dashboard')
  refuseManaged(before)
  const { name, description, definition } = await requireVersion(context, before.id, number)
  const after = { name, description, definition }
  const row = await changeDashboard(context, before, { action: 'restore', after })
  return writtenView(context, { row, sights })
}

/** The differences between two versions; at most 1,000. @throws {Refusal} not_found */
export async function compareVersions(
  context: Context,
  { ref, number }: Named,
  to: number | undefined,
): Promise<ChangeView[]> {
  const { row } = await requireRow(context, ref, 'read')
  const [before, after] = await Promise.all([
    requireVersion(context, row.id, number),
    requireVersion(context, row.id, to ?? row.number),
  ])
  return changesBetween(contentsOf(before), contentsOf(after), CHANGES_MAX)
}

function contentsOf({ name, description, definition }: VersionRow) {
  return { name, description, definition: readDefinition(definition) }
}

async function requireVersion({ ports }: Context, id: number, number: number): Promise<VersionRow> {
  const version = await store.findVersion(ports.database, id, number)
  if (!version) throw noSuch('version')
  return version
}

function summaryOf(
  { number, name, description, createdBy, createdAt }: Omit<VersionRow, 'definition'>,
  format: (at: number) => string,
): VersionSummary {
  return { number, name, description, createdBy, createdAt: format(createdAt) }
}
