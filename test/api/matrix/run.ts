import { join } from 'node:path'

import { ROLES } from '../../../src/context.ts'
import type { Role } from '../../../src/context.ts'
import type { Client, Request } from '../client.ts'
import { limitedOf } from './limited.ts'
import type { Case, Names } from './case.ts'
import { pathOf } from './cases.ts'
import { CANARY, TENANTS } from './world.ts'
import type { Tenant, World } from './world.ts'

export type Asker = Role | null

export const ASKERS: readonly Asker[] = [null, ...ROLES]

/** The reviewed policy of a route: its callers, the right on the object that it needs, and the scope that limited
 * credentials need. */
export type Reviewed = {
  readonly may: ReadonlySet<Asker>
  readonly right: string | null
  readonly scope: string | null
}

/** The routes as `snapshots/roles.txt` has them: what is expected comes from there and not from the routes. */
export async function readReviewed(): Promise<ReadonlyMap<string, Reviewed>> {
  const text = await Bun.file(join(import.meta.dir, '../../snapshots/roles.txt')).text()
  const lines = text.trimEnd().split('\n').slice(1)
  return new Map(
    lines.map((line) => {
      const [method, path, ...marks] = line.split(/\s+/)
      const [right = '-', scope = '-'] = marks.slice(ASKERS.length)
      const may = new Set(ASKERS.filter((_, index) => marks[index] === 'yes'))
      const named = (mark: string) => (mark === '-' ? null : mark)
      return [`${method} ${path}`, { may, right: named(right), scope: named(scope) }]
    }),
  )
}

/** The reviewed policy of a route; a missing route has no callers. */
export function of(reviewed: ReadonlyMap<string, Reviewed>, route: string): Reviewed {
  return reviewed.get(route) ?? { may: new Set(), right: null, scope: null }
}

/** The last role that may call a route, whose right on the object decides. */
export function oneAsker({ may }: Reviewed): readonly Asker[] {
  return [ASKERS.findLast((asker) => may.has(asker)) ?? null]
}

/** Calls a route as each asker on each tenant's objects.
 * @returns the wrong answers, and the number of all answers */
export async function tryCase(
  client: Client,
  world: World,
  tried: { readonly one: Case; readonly reviewed: Reviewed; readonly askers?: readonly Asker[] },
): Promise<{ readonly wrong: readonly string[]; readonly answers: number }> {
  const wrong: string[] = []
  let answers = 0
  for (const tenant of TENANTS) {
    let names: Names | null = null
    for (const asker of tried.askers ?? ASKERS) {
      const expected = expectedOf(tried, asker, tenant)
      names ??= { ...world[tenant], ...(await tried.one.prepare?.(client, world, tenant)) }
      const { status, text } = await answerTo(client, names, { one: tried.one, asker })
      answers++
      // A refused call leaves what was prepared for the next one.
      if (expected === 'good') names = null
      const seen = `${asker ?? 'nobody'} on ${tenant}: ${status}`
      if (!fits(status, expected)) wrong.push(`${seen} instead of ${expected}: ${text.slice(0, 300)}`)
      else if (asker !== 'administrator' && text.includes(CANARY))
        wrong.push(`${seen}, but it tells of what is ${CANARY}: ${text.slice(0, 1000)}`)
    }
  }
  return { wrong, answers }
}

/** Calls a route as everybody on nothing that is there.
 * @returns who was let through who was not to be, and the reverse */
export async function tryRoles(
  client: Client,
  route: { readonly method: string; readonly path: string; readonly reviewed: Reviewed },
): Promise<readonly string[]> {
  const { method, path, reviewed } = route
  const wrong: string[] = []
  for (const asker of ASKERS) {
    const request = { ...harmless(method, path), as: asker }
    const { status, text } = await client.request(method, reachable(path), request)
    // A session proves nothing to those that are for runners.
    const refused = asker === null || path.startsWith('/runner/v1/') ? 401 : 403
    const isRight = reviewed.may.has(asker) ? ![401, 403, 500].includes(status) : status === refused
    if (!isRight) wrong.push(`${asker ?? 'nobody'}: ${status}: ${text.slice(0, 300)}`)
  }
  return wrong
}

/** Calls a route with limited credentials.
 * @returns the credentials that were let through against the review, and the reverse */
export async function tryScopes(
  client: Client,
  route: { readonly method: string; readonly path: string; readonly reviewed: Reviewed },
): Promise<readonly string[]> {
  const { method, path, reviewed } = route
  const wrong: string[] = []
  for (const { name, role, scopes, headers } of await limitedOf(client)) {
    const request = { ...harmless(method, path), as: null, headers }
    const { status, text } = await client.request(method, reachable(path), request)
    const isGood = reviewed.scope !== null && scopes.includes(reviewed.scope) && reviewed.may.has(role)
    const isRight = isGood ? ![401, 403, 500].includes(status) : status === 403
    if (!isRight) wrong.push(`${name}: ${status}: ${text.slice(0, 300)}`)
  }
  return wrong
}

async function answerTo(client: Client, names: Names, { one, asker }: { one: Case; asker: Asker }) {
  const [method = ''] = one.route.split(' ')
  const answer = await client.request(method, pathOf(one, names), { ...one.request?.(names), as: asker })
  return { status: one.verdict?.(answer) ?? answer.status, text: answer.text }
}

type Expected = 'good' | number

function expectedOf(
  { one, reviewed }: { readonly one: Case; readonly reviewed: Reviewed },
  asker: Asker,
  tenant: Tenant,
): Expected {
  if (!reviewed.may.has(asker)) return asker === null ? 401 : 403
  if (asker === 'administrator' || tenant === 'own') return 'good'
  const special = one.statuses?.[tenant]
  if (special !== undefined) return special < 300 ? 'good' : special
  if (tenant === 'foreign') return 404
  return reviewed.right === 'read' ? 'good' : 403
}

function fits(status: number, expected: Expected): boolean {
  return expected === 'good' ? status >= 200 && status < 300 : status === expected
}

/** A path of the right form whose object is not there, so that an allowed call is not refused for want of a right. */
function reachable(path: string): string {
  // A stream would not end.
  if (path === '/events') return '/events?once=true'
  // The session of the call is needed again.
  if (path === '/session/logout') return '/session/logout?sessionId=of-nobody'
  return path.replaceAll(
    /:(\w+)(?:\{([^}]*)\})?/g,
    (_, _name: string, kinds?: string) => kinds?.split('|')[0] ?? '999999999',
  )
}

/** A body that is no reason for 401 or 403. */
function harmless(method: string, path: string): Request {
  if (method === 'GET' || method === 'DELETE') return {}
  if (path === '/session/logout') return { json: { sessionId: 'of-nobody' } }
  // Without a token the route answers 401 to each caller: the cookie of the request is missing.
  if (path === '/session/refresh') return { json: { refreshToken: '' } }
  return { json: {} }
}
