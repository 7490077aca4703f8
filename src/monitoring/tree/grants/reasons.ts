import { permissionsOf, reachOf } from '../../../access/rights/permissions.ts'
import type { Granted, Located, Permissions, Right, Rights } from '../../../access/rights/permissions.ts'
import type { REASONS } from './schema.ts'

export type AccessReason = (typeof REASONS)[number]

/** The nearest grant that gives each right. Null for administrators and for rights that the user does not have.
 * @param grants the grants of the user, nearest first */
export function decidingGrants<Grant extends Granted>(
  { role }: Pick<Rights, 'role'>,
  permissions: Permissions,
  grants: readonly Grant[],
): Readonly<Record<Right, Grant | null>> {
  const first = (right: Right, gives: (grant: Grant) => boolean) =>
    (role !== 'administrator' && permissions[right] && grants.find(gives)) || null
  return {
    read: first('read', () => true),
    write: first('write', ({ write }) => write),
    execute: first('execute', ({ execute }) => execute),
    maintain: first('maintain', ({ maintain }) => maintain) ?? first('maintain', ({ write }) => write),
  }
}

/** The rights of a user on an object, with the reason for each. */
export function explain(
  rights: Rights,
  object: Located,
  grants: readonly Granted[],
): { readonly permissions: Permissions; readonly reasons: Readonly<Record<Right, AccessReason>> } {
  const permissions = permissionsOf(rights, object)
  const reach = reachOf(rights, object)
  const wouldReach = reachOf(rights, { ...object, runBy: 0 })

  const reasonOf = (right: keyof Granted): AccessReason => {
    if (rights.role === 'administrator') return 'administrator'
    if (!grants.some((grant) => grant[right]))
      return right === 'maintain' && permissions.maintain ? 'write' : 'not_granted'
    if (right === 'maintain' || reach[right]) return 'granted'
    return wouldReach[right] ? 'collector' : 'role'
  }
  const readReason = (): AccessReason => {
    if (rights.role === 'administrator') return 'administrator'
    return grants.length > 0 ? 'granted' : 'not_granted'
  }
  return {
    permissions,
    reasons: {
      read: readReason(),
      write: reasonOf('write'),
      execute: reasonOf('execute'),
      maintain: reasonOf('maintain'),
    },
  }
}
