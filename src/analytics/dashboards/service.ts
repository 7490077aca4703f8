import { startDashboardOf } from '../../content/settings/service.ts'
import type { Context } from '../../context.ts'
import { commitIfMatch, demandedVersion, refuseStale } from '../../http/preconditions.ts'
import { Refusal, invalidAt, stale } from '../../lib/errors.ts'
import { requireGroup } from './groups/service.ts'
import { lineOf } from './rights.ts'
import type {
  CopyBody,
  DashboardBody,
  DashboardRef,
  DashboardView,
  DependentView,
  ListQuery,
  MoveView,
  ReadQuery,
  SummaryView,
} from './schema.ts'
import {
  auditFieldsOf,
  changeDashboard,
  commitDashboard,
  creationWrites,
  nameOf,
  recorded,
  refuseManaged,
  storedDefinition,
  urlNameTaken,
} from './service/changes.ts'
import { dependentsOf, hasDependents } from './service/dependents.ts'
import { sightsOf } from './service/rights.ts'
import type { Sights } from './service/rights.ts'
import { requireRow, summaryOf, viewOf, writtenView } from './service/views.ts'
import * as store from './store.ts'
import type { DashboardRow } from './store.ts'
import { listGrants } from './store/rights.ts'
import { freeUrlName, urlNameOf } from './url-name.ts'

type Versioned = { readonly view: DashboardView; readonly version: number }

const RAW: ReadQuery = { raw: true }
/** Tries to make a URL name while concurrent requests take those that were free. */
const TRIES_MAX = 5

/** The dashboards that the caller may read; there are 5,000 at most. */
export async function listDashboards(
  context: Context,
  { groupId, q, sort }: ListQuery,
): Promise<SummaryView[]> {
  const { ports } = context
  const wanted = q?.normalize('NFC').toLowerCase()
  const now = ports.clock.now()
  const [sights, rows, gone, publics] = await Promise.all([
    sightsOf(context),
    store.listDashboards(ports.database),
    store.listGone(ports.database, null),
    store.listPublic(ports.database, { dashboardId: null, now }),
  ])
  const invalid = new Set(gone.map(({ dashboardId }) => dashboardId))
  const found = rows.filter(
    (row) =>
      (groupId === undefined || row.groupId === groupId) &&
      (wanted === undefined ||
        [row.name, row.urlName, row.description].some((text) => text.toLowerCase().includes(wanted))) &&
      sights.ofDashboard(row).read,
  )
  const sorted = sort === 'name' ? found : found.toSorted((a, b) => b.updatedAt - a.updatedAt)
  return sorted.map((row) =>
    summaryOf(ports, row, {
      permissions: sights.ofDashboard(row),
      isValid: !invalid.has(row.id),
      isPublic: publics.has(row.id),
    }),
  )
}

/** The dashboard that the caller sees first: the one of the user, else of the settings, else the first by name. One that the
 * caller may not read is passed over. @throws {Refusal} not_found where the caller may read none */
export async function readStart(context: Context): Promise<SummaryView> {
  const { ports, caller } = context
  const [items, own, common] = await Promise.all([
    listDashboards(context, { sort: 'name' }),
    caller.kind === 'user' ? store.startOfUser(ports.database, caller.userId) : null,
    startDashboardOf(ports),
  ])
  const found = [own, common].flatMap((wanted) => items.find(({ id }) => id === wanted) ?? [])
  const start = found[0] ?? items[0]
  if (!start) throw new Refusal('not_found', 'There is no dashboard that you may read.')
  return start
}

/** @throws {Refusal} not_found, also for a dashboard that is not valid */
export async function readDashboard(
  context: Context,
  ref: DashboardRef,
  query: ReadQuery,
): Promise<Versioned> {
  const found = await requireRow(context, ref, 'read')
  return { view: await viewOf(context, found, query), version: found.row.version }
}

/** @throws {Refusal} name_taken, invalid, cycle, not_found and forbidden for the group, conflict when there are 5,000 */
export async function createDashboard(context: Context, body: DashboardBody): Promise<Versioned> {
  const sights = await sightsOf(context)
  if (body.groupId !== null) requireTarget(sights, body.groupId)
  for (let tries = 1; ; tries++) {
    const urlName = body.urlName ?? (await madeUrlName(context, body.name))
    try {
      return await insertDashboard(context, sights, { ...body, urlName })
    } catch (error) {
      // A concurrent request may have taken the name that was free.
      const isTaken = error instanceof Refusal && error.code === 'name_taken'
      if (!isTaken || body.urlName !== undefined || tries === TRIES_MAX) throw error
    }
  }
}

async function insertDashboard(
  context: Context,
  sights: Sights,
  body: DashboardBody & { readonly urlName: string },
): Promise<Versioned> {
  const row = newRow(context, { ...body, definition: storedDefinition(body.definition) })
  await commitDashboard(context, creationWrites(context, row, sights))
  return readDashboard(context, row.urlName, RAW)
}

/** Checks a new dashboard and stores nothing. @throws {Refusal} as `createDashboard` */
export async function checkDashboard(context: Context, body: DashboardBody): Promise<void> {
  const sights = await sightsOf(context)
  if (body.groupId !== null) requireTarget(sights, body.groupId)
  if (
    body.urlName !== undefined &&
    (await store.takenUrlNames(context.ports.database, body.urlName)).has(body.urlName)
  )
    throw urlNameTaken()
}

/** Replaces a dashboard. The same contents are no new version.
 * @throws {Refusal} not_found, forbidden, precondition_failed, conflict for one that is managed elsewhere, and as
 * `createDashboard` */
export async function updateDashboard(
  context: Context,
  ref: DashboardRef,
  { body, ifMatch }: { readonly body: DashboardBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { row: before, sights } = await requireRow(context, ref, 'write')
  requireCurrent(before, body, ifMatch)
  refuseManaged(before)
  if (body.groupId !== before.groupId && body.groupId !== null) requireTarget(sights, body.groupId)
  const { name, description, groupId, urlName = before.urlName } = body
  const after = { name, description, groupId, urlName, definition: storedDefinition(body.definition) }
  const row = await changeDashboard(context, before, { action: 'update', after })
  return writtenView(context, { row, sights })
}

function requireCurrent(before: DashboardRow, { version }: DashboardBody, ifMatch: number | null): void {
  if (ifMatch !== null) {
    if (ifMatch !== before.version) throw stale('dashboard')
  } else if (version === undefined)
    throw invalidAt('/version', 'must be the version that you read, unless If-Match has its ETag')
  else if (version !== before.number) throw stale('dashboard')
}

/** Ends the management of a dashboard as code. @throws {Refusal} not_found, forbidden, precondition_failed */
export async function detachDashboard(context: Context, ref: DashboardRef): Promise<Versioned> {
  const { row: before, sights } = await requireRow(context, ref, 'write')
  refuseStale(demandedVersion(context), before.version, 'dashboard')
  const row = await changeDashboard(context, before, { action: 'detach', after: { managedBy: '' } })
  return writtenView(context, { row, sights })
}

/** @throws {Refusal} not_found, forbidden, precondition_failed, has_dependents while others refer to it, unless it is forced */
export async function deleteDashboard(
  context: Context,
  ref: DashboardRef,
  options: { readonly isForced: boolean },
): Promise<void> {
  const { row, sights } = await requireRow(context, ref, 'write')
  try {
    await commitIfMatch(context, { ...row, table: 'dashboards' }, [
      ...store.deleteDashboards(context.ports.database, [row.id], options),
      recorded(context, 'delete', { objectId: row.id, before: auditFieldsOf(row) }),
    ])
  } catch (error) {
    if (!store.isGuarded(error)) throw error
    throw await hasDependents(context, sights, [row.id])
  }
}

/** Copies a dashboard that the caller may read. @throws {Refusal} not_found, and as `createDashboard` */
export async function copyDashboard(
  context: Context,
  ref: DashboardRef,
  { name, groupId }: CopyBody,
): Promise<Versioned> {
  const { row } = await requireRow(context, ref, 'read')
  const { view } = await readDashboard(context, row.id, RAW)
  const { definition, description } = view
  return createDashboard(context, {
    name: name ?? row.name,
    groupId: groupId === undefined ? row.groupId : groupId,
    description,
    definition,
  })
}

/** Moves a dashboard to another group. @throws {Refusal} not_found, forbidden, precondition_failed */
export async function moveDashboard(
  context: Context,
  ref: DashboardRef,
  groupId: number | null,
): Promise<Versioned> {
  const { row: before, sights } = await requireRow(context, ref, 'write')
  refuseStale(demandedVersion(context), before.version, 'dashboard')
  refuseManaged(before)
  if (groupId !== null) requireTarget(sights, groupId)
  const row = await changeDashboard(context, before, { action: 'move', after: { groupId } })
  return writtenView(context, { row, sights })
}

/** The users and user groups whose right to read a dashboard would change by a move. @throws {Refusal} not_found, forbidden */
export async function previewMove(
  context: Context,
  ref: DashboardRef,
  groupId: number | null,
): Promise<MoveView> {
  const { database } = context.ports
  const { row, sights } = await requireRow(context, ref, 'write')
  if (groupId !== null) requireTarget(sights, groupId)
  const [before = [], after = []] = await Promise.all(
    [row.groupId, groupId].map((id) =>
      listGrants(database, {
        dashboardId: row.id,
        groupIds: lineOf(sights.groups, id).map((group) => group.id),
      }),
    ),
  )
  return { won: subjectsIn(after, before), lost: subjectsIn(before, after) }
}

type Subjects = Awaited<ReturnType<typeof listGrants>>

/** The subjects that are in one list alone, each once. */
function subjectsIn(some: Subjects, others: Subjects): MoveView['won'] {
  const keyOf = ({ subjectType, subjectId }: Subjects[number]) => `${subjectType} ${subjectId}`
  const known = new Set(others.map(keyOf))
  const own = new Map(some.filter((grant) => !known.has(keyOf(grant))).map((grant) => [keyOf(grant), grant]))
  return [...own.values()].map(({ subjectType, subjectId, subjectName }) => ({
    subjectType,
    subjectId,
    subjectName,
  }))
}

/** The widgets of other dashboards that embed a dashboard or lead to it. @throws {Refusal} not_found */
export async function listDependents(
  context: Context,
  ref: DashboardRef,
): Promise<{ readonly items: readonly DependentView[]; readonly total: number }> {
  const { row, sights } = await requireRow(context, ref, 'read')
  return dependentsOf(context, sights, [row.id])
}

function requireTarget(sights: Sights, groupId: number): void {
  const isThere = sights.groups.has(groupId) && sights.ofGroup(groupId).read
  if (!isThere) throw invalidAt('/groupId', 'must be the id of a group that you can read')
  requireGroup(sights, groupId, 'write')
}

async function madeUrlName({ ports }: Context, name: string): Promise<string> {
  const wanted = urlNameOf(name)
  return freeUrlName(wanted, await store.takenUrlNames(ports.database, wanted.slice(0, 70)))
}

function newRow(
  context: Context,
  fields: Pick<DashboardRow, 'name' | 'description' | 'groupId' | 'urlName' | 'definition'>,
): Omit<DashboardRow, 'id'> {
  const now = context.ports.clock.now()
  const { name, description, groupId, urlName, definition } = fields
  return {
    uuid: crypto.randomUUID(),
    name,
    description,
    groupId,
    urlName,
    definition,
    number: 1,
    managedBy: '',
    version: 1,
    createdAt: now,
    updatedAt: now,
    updatedBy: nameOf(context),
  }
}
