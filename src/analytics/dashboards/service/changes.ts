import { recorder } from '../../../access/audit/service.ts'
import { dependents } from '../../../automation/scripts/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal, invalidAt, stale } from '../../../lib/errors.ts'
import { DAY_MS } from '../../../lib/time.ts'
import {
  commit,
  fullDetail,
  isForeignKeyViolation,
  isUniqueViolation,
  refuseFull,
} from '../../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../../ports/database.ts'
import { sorted } from '../canonical.ts'
import { readDefinition } from '../definition.ts'
import type { Definition } from '../definition.ts'
import { referencesOf } from '../references.ts'
import { DASHBOARDS_MAX } from '../schema.ts'
import * as store from '../store.ts'
import type { DashboardRow } from '../store.ts'
import { insertGrant } from '../store/rights.ts'
import type { Sights } from './rights.ts'

export const recorded = recorder('dashboard')

const VERSIONS_MAX = 100
/** Dashboards that are embedded in one another, without the outermost. */
export const EMBEDDED_MAX = 3
const OLD_URL_MS = 90 * DAY_MS

/** The contents of a dashboard that are in its versions. */
export type Contents = Pick<DashboardRow, 'name' | 'description' | 'definition'>

/** The writes that follow from new contents of a dashboard: the version, and all to which they refer. */
function contentWrites(
  database: Database,
  id: IdExpression,
  row: Contents & Pick<DashboardRow, 'number' | 'updatedAt' | 'updatedBy'>,
): Write[] {
  const { name, description, definition, number, updatedAt: createdAt, updatedBy: createdBy } = row
  const parsed = readDefinition(definition)
  const references = parsed ? referencesOf(parsed) : []
  const scripts = references
    .filter(({ kind }) => kind === 'script')
    .map(({ targetId, widgetId, title }) => ({ scriptId: targetId, part: widgetId, name: title || name }))
  const version = { dashboardId: id, number, name, description, definition, createdBy, createdAt }
  return [
    ...store.insertVersion(database, version, VERSIONS_MAX),
    ...store.replaceReferences(database, id, references),
    ...dependents(database, { kind: 'widget', ownerId: id }, scripts),
    ...store.guardEmbedding(database, id, EMBEDDED_MAX),
  ]
}

type Change = { readonly action: string; readonly after: Partial<DashboardRow> }

/** Changes a dashboard. New contents are its next version; equal contents make no version.
 * @returns the row as it is then @throws {Refusal} as `commitDashboard` */
export async function changeDashboard(
  context: Context,
  before: DashboardRow,
  change: Change,
): Promise<DashboardRow> {
  const { row, writes } = changeWrites(context, before, change)
  await commitDashboard(context, writes)
  return row
}

/** The writes of `changeDashboard`, with the row as they leave it. */
export function changeWrites(
  context: Context,
  before: DashboardRow,
  { action, after }: Change,
): { readonly row: DashboardRow; readonly writes: readonly Write[] } {
  const { database, clock } = context.ports
  const merged = { ...before, ...after }
  const isNew = !hasSameContents(before, merged)
  const isSame = !isNew && FIELDS.every((field) => before[field] === merged[field])
  if (isSame) return { row: before, writes: [recorded(context, action, { objectId: before.id })] }
  const now = clock.now()
  const number = after.number ?? before.number + (isNew ? 1 : 0)
  const row = { ...merged, number, updatedAt: now, updatedBy: nameOf(context) }
  const { id: _id, uuid: _uuid, version: _version, createdAt: _createdAt, ...change } = row
  const url = { from: before.urlName, to: row.urlName, untilAt: now + OLD_URL_MS }
  const told = { objectId: before.id, before: auditFieldsOf(before), after: auditFieldsOf(row) }
  const writes = [
    store.updateDashboard(database, before, change),
    ...(isNew ? contentWrites(database, before.id, row) : []),
    ...(url.from === url.to ? [] : store.keepOldUrl(database, url, before.id)),
    recorded(context, action, told),
  ]
  return { row: { ...row, version: before.version + 1 }, writes }
}

/** The writes of a new dashboard, which belongs to the caller. */
export function creationWrites(
  context: Context,
  row: Omit<DashboardRow, 'id'> & { readonly id?: number },
  sights: Pick<Sights, 'userId' | 'role'>,
): Write[] {
  const { database } = context.ports
  const id = store.dashboardOf(row.uuid)
  const own = { subjectType: 'user', subjectId: sights.userId, write: true, execute: true } as const
  return [
    store.insertDashboard(database, row, DASHBOARDS_MAX),
    recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf({ ...row, id: 0 }) }),
    ...contentWrites(database, id, row),
    ...(sights.role === 'administrator' ? [] : [insertGrant(database, { kind: 'dashboard', id }, own)]),
  ]
}

const FIELDS = ['urlName', 'groupId', 'managedBy'] as const

function hasSameContents(a: Contents, b: Contents): boolean {
  return a.name === b.name && a.description === b.description && a.definition === b.definition
}

/** @throws {Refusal} conflict for a dashboard that is changed as code */
export function refuseManaged({ managedBy }: Pick<DashboardRow, 'managedBy'>): void {
  if (managedBy === '') return
  throw new Refusal(
    'conflict',
    `The dashboard is managed by ${managedBy}. Change it there, or detach it with POST /dashboards/{id}/detach.`,
  )
}

const FULL = fullDetail(DASHBOARDS_MAX, 'dashboards')

/** Runs a commit that adds or changes dashboards.
 * @throws {Refusal} conflict when there are 5,000, name_taken, precondition_failed, cycle, invalid for dashboards that are
 * embedded too deep */
export async function commitDashboard({ ports }: Context, writes: readonly Write[]): Promise<void> {
  try {
    await refuseFull('dashboards', FULL, () => commit(ports.database, writes))
  } catch (error) {
    if (store.isGuarded(error)) throw stale('dashboard')
    if (store.isCycle(error))
      throw new Refusal('cycle', 'A dashboard cannot embed itself, also not through others.')
    if (store.isTooDeep(error))
      throw invalidAt('/definition/widgets', `must not embed dashboards more than ${EMBEDDED_MAX} deep`)
    if (isUniqueViolation(error, 'dashboards.id')) throw stale('list of dashboards')
    if (isForeignKeyViolation(error)) throw invalidAt('/groupId', 'must be the id of an existing group')
    if (isUniqueViolation(error, 'dashboards.url_name')) throw urlNameTaken()
    throw error
  }
}

/** The refusal of a URL name that another dashboard has. */
export function urlNameTaken(): Refusal {
  return new Refusal('name_taken', 'Another dashboard has this URL name.', [
    { pointer: '/urlName', message: 'is already used' },
  ])
}

export function nameOf({ caller }: Context): string {
  return caller.kind === 'user' ? caller.username : ''
}

/** A definition as it is stored: equal ones have equal texts. */
export function storedDefinition(definition: Definition): string {
  return JSON.stringify(sorted(definition))
}

export function auditFieldsOf({ name, description, urlName, groupId, number }: DashboardRow) {
  return { name, description, urlName, groupId, number }
}
