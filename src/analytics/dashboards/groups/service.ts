import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { idsBelow, writeGroup } from '../../../http/group-tree.ts'
import { commitIfMatch, refuseStale } from '../../../http/preconditions.ts'
import { Refusal, invalidAt, noSuch, stale } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit, fullDetail, isForeignKeyViolation, refuseFull } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Values } from '../parameters.ts'
import { lineOf } from '../rights.ts'
import { hasDependents } from '../service/dependents.ts'
import { sightsOf } from '../service/rights.ts'
import type { Sights } from '../service/rights.ts'
import {
  deleteDashboards,
  isGuarded as isReferredTo,
  listDashboards,
  listGone,
  listPublic,
} from '../store.ts'
import { insertGrant } from '../store/rights.ts'
import { DEPTH_MAX, GROUPS_MAX } from './schema.ts'
import type { GroupBody, GroupView, NestedDashboard, NestedGroup } from './schema.ts'
import * as store from './store.ts'
import type { GroupChange, GroupRow } from './store.ts'

const recorded = recorder('dashboardGroup')

type Versioned = { readonly view: GroupView; readonly version: number }

/** The groups that the caller may read. */
export async function listGroups(context: Context): Promise<GroupView[]> {
  const sights = await sightsOf(context)
  const readable = [...sights.groups.values()].filter(({ id }) => sights.ofGroup(id).read)
  return readable.map((row) => viewOf(context.ports, sights, row))
}

/** The tree of groups with their dashboards, as far as the caller may read them. Groups that lead to readable ones have their
 * names alone. */
export async function nestGroups(context: Context): Promise<NestedGroup[]> {
  const { database, clock } = context.ports
  const [sights, rows, gone, publics] = await Promise.all([
    sightsOf(context),
    listDashboards(database),
    listGone(database, null),
    listPublic(database, { dashboardId: null, now: clock.now() }),
  ])
  const invalid = new Set(gone.map(({ dashboardId }) => dashboardId))
  const readable = rows.filter((row) => sights.ofDashboard(row).read)
  const dashboards = Map.groupBy(readable, ({ groupId }) => groupId)
  const children = Map.groupBy(sights.groups.values(), ({ parentId }) => parentId)
  const nest = (parentId: number | null): NestedGroup[] =>
    (children.get(parentId) ?? []).flatMap((row) => {
      const groups = nest(row.id)
      const permissions = sights.ofGroup(row.id)
      const shown = (dashboards.get(row.id) ?? []).map(
        ({ id, name, urlName, number, ...rest }): NestedDashboard => ({
          id,
          name,
          urlName,
          version: number,
          valid: !invalid.has(id),
          public: publics.has(id),
          permissions: sights.ofDashboard({ id, groupId: rest.groupId }),
        }),
      )
      if (!permissions.read && groups.length === 0 && shown.length === 0) return []
      const { id, name, position } = row
      const own = permissions.read ? row.defaultParams : {}
      const effectiveParams = permissions.read ? effectiveOf(sights, row) : {}
      return [
        {
          id,
          name,
          parentId,
          position,
          defaultParams: own,
          effectiveParams,
          permissions,
          groups,
          dashboards: shown,
        },
      ]
    })
  return nest(null)
}

/** @throws {Refusal} not_found, also for a group that the caller may not read */
export async function readGroup(context: Context, id: number): Promise<Versioned> {
  const sights = await sightsOf(context)
  return versioned(context.ports, sights, requireGroup(sights, id, 'read'))
}

/** @throws {Refusal} name_taken, forbidden and invalid for the parent, conflict when there are 1,000 */
export async function createGroup(context: Context, body: GroupBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const sights = await sightsOf(context)
  requireParent(sights, body.parentId, 1)
  const change = changeOf(ports, body)
  const row = { ...change, version: 1, createdAt: change.updatedAt }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const full = fullDetail(GROUPS_MAX, 'groups of dashboards')
  const holder = { kind: 'group', id: store.groupNamed(row) } as const
  const own = { subjectType: 'user', subjectId: sights.userId, write: true, execute: true } as const
  const writes = [
    store.insertGroup(database, row, GROUPS_MAX),
    entry,
    ...(sights.role === 'administrator' ? [] : [insertGrant(database, holder, own)]),
  ]
  await refuseFull('dashboard_groups', full, () =>
    writeGroup('dashboard_groups', () => commit(database, writes)),
  )
  const now = await sightsOf(context)
  const made = [...now.groups.values()].find(
    ({ name, parentId }) => name === body.name && parentId === body.parentId,
  )
  if (!made) throw stale('group')
  return versioned(ports, now, made)
}

/** Changes a group, and moves it to another parent.
 * @throws {Refusal} not_found, forbidden, precondition_failed, cycle, and as `createGroup` */
export async function updateGroup(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: GroupBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const sights = await sightsOf(context)
  const before = requireGroup(sights, id, 'write')
  refuseStale(ifMatch, before.version, 'group')
  if (body.parentId !== before.parentId) requireParent(sights, body.parentId, heightOf(sights, id))
  const after = changeOf(ports, body)
  const told = { objectId: id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  const writes = [...store.updateGroup(ports.database, before, after), recorded(context, 'update', told)]
  await writeGroup('dashboard_groups', () => commit(ports.database, writes))
  // The row is what this commit wrote, since another user may have changed it again.
  return versioned(ports, await sightsOf(context), { ...before, ...after, version: before.version + 1 })
}

/** Deletes a group; if `isRecursive`, with the groups below it and all dashboards in them.
 * @throws {Refusal} not_found, forbidden, precondition_failed, has_children, has_dependents while other dashboards refer to
 * these, unless it is forced */
export async function deleteGroup(
  context: Context,
  id: number,
  { isRecursive, isForced }: { readonly isRecursive: boolean; readonly isForced: boolean },
): Promise<void> {
  const { ports } = context
  const { database } = ports
  const sights = await sightsOf(context)
  const row = requireGroup(sights, id, 'write')
  const ids = idsBelow(sights.groups.values(), id)
  const inside = (await listDashboards(database)).filter(({ groupId }) => ids.includes(groupId ?? 0))
  if (!isRecursive && ids.length + inside.length > 1)
    throw new Refusal(
      'has_children',
      `The group contains ${ids.length - 1} groups and ${inside.length} dashboards. Pass recursive=true to delete them too.`,
    )
  const deleted = inside.map((dashboard) => dashboard.id)
  const before = { ...auditFieldsOf(row), groups: ids, dashboards: deleted }
  try {
    await commitIfMatch(context, { ...row, table: 'dashboard_groups' }, [
      ...deleteDashboards(database, deleted, { isForced }),
      store.deleteGroups(database, ids),
      recorded(context, 'delete', { objectId: id, before }),
    ])
  } catch (error) {
    // A dashboard or a group was added meanwhile.
    if (isForeignKeyViolation(error)) throw stale('group')
    if (!isReferredTo(error)) throw error
    throw await hasDependents(context, sights, deleted)
  }
}

/** @throws {Refusal} not_found for a group that the caller may not read, forbidden */
export function requireGroup(sights: Sights, id: number, right: 'read' | 'write'): GroupRow {
  const row = sights.groups.get(id)
  const permissions = sights.ofGroup(id)
  if (!row || !permissions.read) throw noSuch('group of dashboards')
  if (!permissions[right])
    throw new Refusal('forbidden', `You have no right to ${right} this group of dashboards.`)
  return row
}

/** The values of a group, and of the groups above it that the caller may read. */
function effectiveOf({ groups, ofGroup }: Sights, { id }: Pick<GroupRow, 'id'>): Values {
  const line = lineOf(groups, id).filter((group) => ofGroup(group.id).read)
  return Object.assign({}, ...line.toReversed().map(({ defaultParams }) => defaultParams)) as Values
}

function requireParent(sights: Sights, parentId: number | null, height: number): void {
  if (parentId === null) return
  const parent = sights.groups.get(parentId)
  if (!parent || !sights.ofGroup(parentId).write)
    throw invalidAt('/parentId', 'must be the id of a group that you have the right to write')
  if (lineOf(sights.groups, parentId).length + height > DEPTH_MAX)
    throw invalidAt('/parentId', `must leave at most ${DEPTH_MAX} levels of groups`)
}

/** The levels from a group down, with itself. */
function heightOf(sights: Sights, id: number): number {
  const own = lineOf(sights.groups, id).length
  return Math.max(
    ...idsBelow(sights.groups.values(), id).map((one) => lineOf(sights.groups, one).length - own + 1),
  )
}

function changeOf({ clock }: Ports, { name, parentId, position, defaultParams }: GroupBody): GroupChange {
  return { name, parentId, position, defaultParams, updatedAt: clock.now() }
}

function auditFieldsOf({ name, parentId, position, defaultParams }: Omit<GroupChange, 'updatedAt'>) {
  return { name, parentId, position, defaultParams }
}

function versioned(ports: Ports, sights: Sights, row: GroupRow): Versioned {
  return { view: viewOf(ports, sights, row), version: row.version }
}

function viewOf({ settings }: Ports, sights: Sights, row: GroupRow): GroupView {
  const { id, name, parentId, position, defaultParams, createdAt, updatedAt } = row
  const format = timeFormat(settings.timeZone)
  return {
    id,
    name,
    parentId,
    position,
    defaultParams,
    effectiveParams: effectiveOf(sights, row),
    permissions: sights.ofGroup(id),
    createdAt: format(createdAt),
    updatedAt: format(updatedAt),
  }
}
