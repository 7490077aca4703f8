import type { Role } from '../../context.ts'
import { EDITORS } from '../../http/roles.ts'

export type Permissions = { readonly read: boolean; readonly write: boolean; readonly execute: boolean }

/** A grant of a caller on a dashboard or a group of dashboards. Each grant includes reading. */
export type Grant = {
  readonly dashboardId: number | null
  readonly groupId: number | null
  readonly write: boolean
  readonly execute: boolean
}

export type GroupParent = { readonly id: number; readonly parentId: number | null }

/** Finds the rights of a caller on dashboards and groups. */
export class DashboardRights {
  readonly #groups: ReadonlyMap<number, GroupParent>
  readonly #ofGroups = new Map<number, Permissions>()
  readonly #role: Role
  readonly #grants: readonly Grant[]

  constructor(role: Role, grants: readonly Grant[], groups: readonly GroupParent[]) {
    this.#role = role
    this.#grants = grants
    this.#groups = new Map(groups.map((group) => [group.id, group]))
  }

  /** The rights on a group: its own grants and the grants on groups above it. */
  ofGroup(id: number): Permissions {
    const known = this.#ofGroups.get(id)
    if (known) return known
    const parentId = this.#groups.get(id)?.parentId ?? null
    const own = this.#grants.filter(({ groupId }) => groupId === id)
    const found = either(this.#granted(own), parentId === null ? NOTHING : this.ofGroup(parentId))
    this.#ofGroups.set(id, found)
    return found
  }

  /** The rights on a dashboard: its own grants and the grants on groups around it. */
  ofDashboard({ id, groupId }: { readonly id: number; readonly groupId: number | null }): Permissions {
    const own = this.#grants.filter(({ dashboardId }) => dashboardId === id)
    return either(this.#granted(own), groupId === null ? NOTHING : this.ofGroup(groupId))
  }

  #granted(grants: readonly Grant[]): Permissions {
    if (this.#role === 'administrator') return EVERYTHING
    const mayWrite = EDITORS.some((role) => role === this.#role)
    return {
      read: grants.length > 0,
      write: mayWrite && grants.some(({ write }) => write),
      execute: grants.some(({ execute }) => execute),
    }
  }
}

/** The common rights of several users. */
export function common(all: readonly Permissions[]): Permissions {
  const have = (right: keyof Permissions) => all.every((permissions) => permissions[right])
  return { read: have('read'), write: have('write'), execute: have('execute') }
}

const NOTHING: Permissions = { read: false, write: false, execute: false }
const EVERYTHING: Permissions = { read: true, write: true, execute: true }

function either(a: Permissions, b: Permissions): Permissions {
  return { read: a.read || b.read, write: a.write || b.write, execute: a.execute || b.execute }
}

/** The groups from one up to the root, the nearest first. */
export function lineOf<Group extends GroupParent>(
  groups: ReadonlyMap<number, Group>,
  id: number | null,
): readonly Group[] {
  const line: Group[] = []
  for (let next = id; next !== null;) {
    const group = groups.get(next)
    if (!group || line.includes(group)) break
    line.push(group)
    next = group.parentId
  }
  return line
}
