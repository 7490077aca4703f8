import { requireUser } from '../../../context.ts'
import type { Role, Context } from '../../../context.ts'
import type { GroupRow } from '../groups/store.ts'
import { common, DashboardRights } from '../rights.ts'
import type { Permissions } from '../rights.ts'
import { readGroupsAndGrants } from '../store/rights.ts'

/** The rights of the caller on all dashboards, with the groups that they depend on. */
export type Sights = {
  readonly userId: number
  readonly role: Role
  readonly groups: ReadonlyMap<number, GroupRow>
  readonly ofGroup: (id: number) => Permissions
  readonly ofDashboard: (row: { readonly id: number; readonly groupId: number | null }) => Permissions
}

/** The rights of the caller; bounded by the rights of the users that bound the caller. @throws {Refusal} unauthenticated */
export async function sightsOf(context: Context): Promise<Sights> {
  const { database } = context.ports
  const caller = requireUser(context)
  const users = [caller, ...(caller.bounds ?? [])]
  const { groups, grants } = await readGroupsAndGrants(
    database,
    users.map(({ userId }) => userId),
  )
  const all = users.map(({ role, userId }) => {
    const own = grants.filter((grant) => grant.userId === userId)
    return new DashboardRights(role, own, groups)
  })
  return {
    userId: caller.userId,
    role: caller.role,
    groups: new Map(groups.map((group) => [group.id, group])),
    ofGroup: (id) => common(all.map((rights) => rights.ofGroup(id))),
    ofDashboard: (row) => common(all.map((rights) => rights.ofDashboard(row))),
  }
}
