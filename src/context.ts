import { Refusal } from './lib/errors.ts'
import type { Ports } from './ports/index.ts'
import { ROLES } from './ports/roles.ts'
import type { Role } from './ports/roles.ts'

/** The context of a room's verb: the ports, the caller, and the id of the request in logs and answers. */
export type Context = {
  readonly ports: Ports
  readonly caller: Caller
  readonly requestId: string
  /** Absent where the service itself acts. */
  readonly request?: Request
}

/** The rights of credentials within the role of their user. `execute` delivers and runs; `backup` makes and reads backups;
 * `account` is how the user signs in; `administration` changes users, rights, settings and secrets. No personal token and no
 * lent session has the last two. */
export const SCOPES = ['read', 'write', 'execute', 'backup', 'account', 'administration'] as const

export type Scope = (typeof SCOPES)[number]

export { ROLES }
export type { Role }

/** A user whose rights bound the rights of another user. */
export type Bound = { readonly userId: number; readonly role: Role }

/** The sender of a request. An `anonymous` one reaches only public routes, a script runner only the routes for runners. */
export type Caller = { readonly kind: 'anonymous' } | RunnerCaller | UserCaller

export type RunnerCaller = { readonly kind: 'runner'; readonly runnerId: number }

export type UserCaller = {
  readonly kind: 'user'
  readonly userId: number
  readonly username: string
  readonly role: Role
  /** The hash of the session behind the call, when there is one. */
  readonly sessionHash: string | null
  /** The name of the personal token behind the call, when there is one. */
  readonly tokenName?: string
  /** The scopes of the credentials; absent: all rights of the role. */
  readonly scopes?: readonly Scope[]
  /** Other users whose rights limit the rights of this user: an act is allowed only if all of them may do it. Neither they nor
   * this user are administrators. */
  readonly bounds?: readonly Bound[]
}

/** The user of a call. @throws {Refusal} unauthenticated for any other caller */
export function requireUser({ caller }: Pick<Context, 'caller'>): UserCaller {
  if (caller.kind !== 'user') throw new Refusal('unauthenticated', 'Sign in first.')
  return caller
}

/** Whether a caller is a user of one of these roles, as are all users whose rights bound the caller. */
export function hasRole(caller: Caller, roles: readonly Role[]): boolean {
  if (caller.kind !== 'user' || !roles.includes(caller.role)) return false
  return caller.bounds === undefined || caller.bounds.every(({ role }) => roles.includes(role))
}
