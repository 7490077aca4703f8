import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit, isForeignKeyViolation } from '../../../ports/database.ts'
import { requireGroup } from '../groups/service.ts'
import { lineOf } from '../rights.ts'
import type { DashboardRef } from '../schema.ts'
import { sightsOf } from '../service/rights.ts'
import type { Sights } from '../service/rights.ts'
import { requireRow } from '../service/views.ts'
import * as store from '../store/rights.ts'
import type { GrantsBody, GrantsView } from './schema.ts'

/** A dashboard or a group of dashboards, and the group around it. */
type Held = {
  readonly kind: 'dashboard' | 'group'
  readonly id: number
  readonly groupId: number | null
  readonly sights: Sights
}

/** The grants on a dashboard and on the groups around it. @throws {Refusal} not_found, forbidden */
export async function listDashboardGrants(context: Context, ref: DashboardRef): Promise<GrantsView> {
  return grantsOf(context, await heldDashboard(context, ref))
}

/** Replaces the grants on a dashboard. @throws {Refusal} not_found, forbidden, invalid for a subject that does not exist */
export async function replaceDashboardGrants(
  context: Context,
  ref: DashboardRef,
  body: GrantsBody,
): Promise<GrantsView> {
  return replaceGrants(context, await heldDashboard(context, ref), body)
}

/** The grants on a group of dashboards and on those around it. @throws {Refusal} not_found, forbidden */
export async function listGroupGrants(context: Context, id: number): Promise<GrantsView> {
  return grantsOf(context, await heldGroup(context, id))
}

/** Replaces the grants on a group. @throws {Refusal} as `replaceDashboardGrants` */
export async function replaceGroupGrants(
  context: Context,
  id: number,
  body: GrantsBody,
): Promise<GrantsView> {
  return replaceGrants(context, await heldGroup(context, id), body)
}

async function heldDashboard(context: Context, ref: DashboardRef): Promise<Held> {
  const { row, sights } = await requireRow(context, ref, 'write')
  return { kind: 'dashboard', id: row.id, groupId: row.groupId, sights }
}

async function heldGroup(context: Context, id: number): Promise<Held> {
  const sights = await sightsOf(context)
  const { parentId } = requireGroup(sights, id, 'write')
  return { kind: 'group', id, groupId: parentId, sights }
}

async function grantsOf({ ports }: Context, { kind, id, groupId, sights }: Held): Promise<GrantsView> {
  const around = lineOf(sights.groups, groupId).map((group) => group.id)
  const groupIds = kind === 'group' ? [id, ...around] : around
  const rows = await store.listGrants(ports.database, {
    dashboardId: kind === 'dashboard' ? id : null,
    groupIds,
  })
  const items = rows.map((row) => {
    const own = kind === 'dashboard' ? row.dashboardId === id : row.groupId === id
    const group = own || row.groupId === null ? undefined : sights.groups.get(row.groupId)
    const isShown = group !== undefined && sights.ofGroup(group.id).read
    const { subjectType, subjectId, subjectName, write, execute } = row
    return {
      subjectType,
      subjectId,
      subjectName,
      write,
      execute,
      inherited: !own,
      from: isShown ? { groupId: group.id, name: group.name } : null,
    }
  })
  return { items }
}

async function replaceGrants(context: Context, held: Held, { items }: GrantsBody): Promise<GrantsView> {
  const { database } = context.ports
  const { kind, id } = held
  const before = (await grantsOf(context, held)).items.filter(({ inherited }) => !inherited)
  const record = recorder(kind === 'dashboard' ? 'dashboard' : 'dashboardGroup')
  try {
    await commit(database, [
      store.deleteGrants(database, { kind, id }),
      ...items.map((grant) => store.insertGrant(database, { kind, id }, grant)),
      record(context, 'grant', { objectId: id, before: { grants: before }, after: { grants: items } }),
    ])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('invalid', 'A user or a user group does not exist.', [
      { pointer: '/items', message: 'must have ids of existing users and user groups' },
    ])
  }
  return grantsOf(context, held)
}
