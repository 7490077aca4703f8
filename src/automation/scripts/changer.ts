import type { Caller, Role } from '../../context.ts'

/** The user who last changed something that decides what runs, and the role of that user then; null where it is not on
 * record. Runs have no rights that this user does not have. */
export type Changer = { readonly changedBy: number | null; readonly changedRole: Role | null }

/** The caller, as a changed row stores it. */
export function changerOf(caller: Caller): Changer {
  return caller.kind === 'user'
    ? { changedBy: caller.userId, changedRole: caller.role }
    : { changedBy: null, changedRole: null }
}
