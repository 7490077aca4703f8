import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import type { Subject } from '../../../access/rights/permissions.ts'
import type { Database, IdExpression, Write } from '../../../ports/database.ts'
import type { GroupRow } from '../groups/store.ts'
import type { Grant } from '../rights.ts'

type Flags = { readonly write: number; readonly execute: number }

/** The grant of a user, personal, of a user group or of everyone. */
export type UserGrant = Grant & { readonly userId: number }

/** All groups in the order of their positions, and the grants of some users, in one statement. */
export async function readGroupsAndGrants(
  database: Database,
  userIds: readonly number[],
): Promise<{ readonly groups: readonly GroupRow[]; readonly grants: readonly UserGrant[] }> {
  const rows = await database.all<{ kind: string; item: string }>(sql`
    select 'group' as "kind", json_object('id', id, 'name', name, 'parentId', parent_id, 'position', position,
        'defaultParams', json(default_params), 'version', version, 'createdAt', created_at, 'updatedAt', updated_at)
        as "item", position, name, id from dashboard_groups
    union all
    select 'grant', json_object('userId', u.value, 'dashboardId', g.dashboard_id, 'groupId', g.group_id,
        'write', g.write, 'execute', g.execute), 0, '', g.id
    from ${eachOf(userIds)} u join dashboard_grants g on g.user_id = u.value
      or (g.user_id is null and g.user_group_id is null)
      or g.user_group_id in (select m.group_id from memberships m where m.user_id = u.value)
    order by 3, 4 collate nocase, 5`)
  const itemsOf = <Item>(wanted: string) =>
    rows.flatMap(({ kind, item }) => (kind === wanted ? [JSON.parse(item) as Item] : []))
  const grants = itemsOf<Omit<UserGrant, keyof Flags> & Flags>('grant')
  return {
    groups: itemsOf<GroupRow>('group'),
    grants: grants.map((one) => ({ ...one, write: one.write === 1, execute: one.execute === 1 })),
  }
}

/** The holder of grants: a dashboard or a group of dashboards. */
export type Holder = { readonly kind: 'dashboard' | 'group'; readonly id: IdExpression }

export type GrantRow = Subject & {
  readonly subjectName: string
  readonly write: boolean
  readonly execute: boolean
  readonly dashboardId: number | null
  readonly groupId: number | null
}

/** The grants on a dashboard and on some groups. */
export async function listGrants(
  database: Database,
  { dashboardId, groupIds }: { readonly dashboardId: number | null; readonly groupIds: readonly number[] },
): Promise<GrantRow[]> {
  const rows = await database.all<Omit<GrantRow, keyof Flags> & Flags>(sql`
    select case when g.user_id is not null then 'user' when g.user_group_id is not null then 'userGroup' else 'everyone' end
        as "subjectType",
      coalesce(g.user_id, g.user_group_id, 0) as "subjectId", coalesce(u.username, s.name, '') as "subjectName",
      g.write, g.execute, g.dashboard_id as "dashboardId", g.group_id as "groupId"
    from dashboard_grants g left join users u on u.id = g.user_id left join user_groups s on s.id = g.user_group_id
    where g.dashboard_id = ${dashboardId} or g.group_id in ${elementsOf(groupIds)}
    order by g.id`)
  return rows.map((row) => ({ ...row, write: row.write === 1, execute: row.execute === 1 }))
}

/** Gives rights on a dashboard or a group. Fails for the foreign key where the subject does not exist. */
export function insertGrant(
  database: Database,
  { kind, id }: Holder,
  {
    subjectType,
    subjectId,
    write,
    execute,
  }: Subject & { readonly write: boolean; readonly execute: boolean },
): Write {
  const subject = (type: Subject['subjectType']) => (subjectType === type ? subjectId : null)
  return database.run(sql`
    insert into dashboard_grants (${columnOf(kind)}, user_id, user_group_id, write, execute)
    values (${id}, ${subject('user')}, ${subject('userGroup')}, ${write}, ${execute})`)
}

/** Takes all rights on a dashboard or a group away. */
export function deleteGrants(database: Database, { kind, id }: Holder): Write {
  return database.run(sql`delete from dashboard_grants where ${columnOf(kind)} = ${id}`)
}

function columnOf(kind: Holder['kind']): SQL {
  return kind === 'dashboard' ? sql`dashboard_id` : sql`group_id`
}
