import type { Ports } from './ports/index.ts'
import { ROLES } from './ports/roles.ts'
import type { Role } from './ports/roles.ts'

/** What a room's verb may use: the ports, who asks, and the id that names the request in logs and answers. */
export type Context = {
  readonly ports: Ports
  readonly caller: Caller
  readonly requestId: string
  /** Absent where the service itself acts. */
  readonly request?: Request
}

/** What may be done in somebody's name: `execute` delivers and runs, `account` is about how the person signs in. */
export const SCOPES = ['read', 'write', 'execute', 'account'] as const

export type Scope = (typeof SCOPES)[number]

export { ROLES }
export type { Role }

/** Who asks. `nobody` reaches only the routes that are open to everyone, a runner of scripts only those that are for it. */
export type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'runner'; readonly runnerId: number }
  | {
      readonly kind: 'user'
      readonly userId: number
      readonly username: string
      readonly role: Role
      /** The hash of the session behind the call, when there is one. */
      readonly sessionHash: string | null
      /** What the credentials are good for; absent: for all that the role allows. */
      readonly scopes?: readonly Scope[]
    }
