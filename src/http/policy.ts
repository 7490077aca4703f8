import { createMiddleware } from 'hono/factory'
import type { Hono } from 'hono'
import type * as z from 'zod'
import { Refusal } from '../lib/errors.ts'
import { thenSync } from '../lib/maybe-promise.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { hasRole } from '../context.ts'
import type { Caller, Context, Role, RunnerCaller, Scope, UserCaller } from '../context.ts'
import type { Ports } from '../ports/index.ts'
import type { Reworded } from './problem.ts'
import { encodingOf } from './encoding.ts'
import type { Encoding } from './encoding.ts'
import { refusesUnknownParameters } from './query.ts'

/** The functions that find the caller whose credentials a request carries. They are given, so that this toolkit knows no
 * room. Both throw the refusal `unauthenticated`. */
export type Authenticators = {
  /** A promise only where the answer is not in memory. */
  readonly user: (request: Request, ports: Ports) => MaybePromise<UserCaller>
  readonly runner: (request: Request, ports: Ports) => Promise<RunnerCaller>
}

/** A request's surroundings before its caller is known. */
export type Surroundings = {
  readonly ports: Ports
  readonly authenticators: Authenticators
  readonly requestId: string
}

/** The variables that every handler finds on its request. */
export type Env = { Variables: Surroundings & { readonly context: Context } }

/** A good answer: its meaning and its body; no schema means no body. */
export type Answer = {
  readonly description: string
  readonly schema?: z.ZodType
  readonly media?: string
  /** Media types, besides, that the caller may ask for. */
  readonly alsoMedia?: readonly string[]
  readonly headers?: readonly string[]
}

/** A body of bytes: its media types, each with its shape where it is JSON, and its content encodings. */
export type BytesBody = {
  readonly media: Readonly<Record<string, z.ZodType | 'bytes'>>
  readonly encodings: readonly Encoding[]
  /** True where the request may come without a body. */
  readonly isOptional?: true
}

export type Policy = {
  readonly summary: string
  /** The callers that are allowed: everyone, every signed-in user, these roles, or runners of scripts by their own tokens. */
  readonly roles: 'anyone' | 'signed-in' | 'runner' | readonly Role[]
  /** The scope that limited credentials need. Absent: `execute` where the object right is that, `read` for GET and HEAD,
   * `write` for other methods. */
  readonly scope?: Scope
  /** The right on the object in question that the verb demands beyond the role. */
  readonly object?: 'read' | 'write' | 'execute' | 'maintain'
  /** The body, where the handler reads its bytes itself. */
  readonly takes?: BytesBody
  readonly answers: Readonly<Record<number, Answer>>
  /** Statuses of refusals that do not follow from roles, path, query and body. */
  readonly refuses?: readonly number[]
  /** The body of a refusal where another protocol says how it looks; else it is a problem document. */
  readonly refusal?: (refusal: Refusal, request: Request) => Reworded
  /** Called with each failed request, before it is answered. */
  readonly failed?: (failure: FailedRequest) => Promise<void>
  /** True for routes of deliveries: a refusal through a fault of this service does not count as silence of the sender. */
  readonly isDelivery?: true
  /** True when it takes an `Idempotency-Key`. */
  readonly isRepeatable?: true
  /** True where others add parameters of their own to the URL; everywhere else unknown ones are refused. */
  readonly ignoresUnknownQuery?: true
}

/** A request that failed, as far as it was understood. */
export type FailedRequest = {
  readonly ports: Ports
  readonly request: Request
  readonly error: unknown
  /** Absent if the request was not let through. */
  readonly caller?: Caller | undefined
  /** The parsed body; null if the body was not read. */
  readonly input: Promise<unknown> | null
}

const policies = new WeakMap<object, Policy>()

/** The guard of one route, and of no other, first in its line: lets through who may call, and gives handlers their context. */
export function policy(rule: Policy) {
  const refuseUnknown = rule.ignoresUnknownQuery ? null : refusesUnknownParameters()
  const guard = createMiddleware<Env>(async (c, next) => {
    const [ports, authenticators, requestId] = [c.get('ports'), c.get('authenticators'), c.get('requestId')]
    c.set('context', await admit(rule, c.req.raw, { ports, authenticators, requestId }))
    refuseUnknown?.(c)
    if (rule.takes) encodingOf(c.req.raw, rule.takes.encodings)
    await next()
  })
  policies.set(guard, rule)
  return guard
}

/** The context of a request that the rule lets through. @throws {Refusal} unauthenticated, forbidden */
export function admit(
  rule: Policy,
  request: Request,
  { ports, authenticators, requestId }: Surroundings,
): MaybePromise<Context> {
  const { roles } = rule
  const contextOf = (caller: Caller): Context => ({ ports, requestId, request, caller })
  if (roles === 'anyone') return contextOf({ kind: 'anonymous' })
  if (roles === 'runner') return authenticators.runner(request, ports).then(contextOf)
  return thenSync(authenticators.user(request, ports), (caller) => {
    if (caller.scopes && !caller.scopes.includes(scopeOf(rule, request.method)))
      throw new Refusal('forbidden', `The credentials lack the scope \`${scopeOf(rule, request.method)}\`.`)
    if (roles !== 'signed-in' && !hasRole(caller, roles))
      throw new Refusal('forbidden', 'Your role does not allow this request.')
    return contextOf(caller)
  })
}

/** The scope that limited credentials need to call a route. */
export function scopeOf({ scope, object }: Policy, method: string): Scope {
  if (scope) return scope
  if (object === 'execute') return 'execute'
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

/** The policy of a handler that came from `policy`. */
export function policyOf(handler: object): Policy | undefined {
  return policies.get(handler)
}

export type Route = { readonly method: string; readonly path: string; readonly policy: Policy }

/** Every route with its policy, in order of declaration.
 * @throws {Error} naming a route that has none: such an application must not start */
export function routesOf(app: Hono<Env>): readonly Route[] {
  const routes = new Map<string, Route>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL' && path === '/*') continue
    const name = `${method} ${path}`
    const rule = policyOf(handler)
    if (rule) routes.set(name, { method, path, policy: rule })
    else if (!routes.has(name)) throw new Error(`The route ${name} has no policy.`)
  }
  return [...routes.values()]
}
