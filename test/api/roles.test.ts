import { describe, expect, test } from 'bun:test'

import { join } from 'node:path'

import { Hono } from 'hono'

import { ROOMS } from '../../src/app.ts'
import { ROLES } from '../../src/context.ts'
import { policyOf, routesOf, scopeOf } from '../../src/http/policy.ts'
import type { Env, Route } from '../../src/http/policy.ts'
import { ASKERS } from './matrix/run.ts'
import { mayCall, routes, scoped } from './roles.suite.ts'
import { expectSnapshot } from './snapshot.ts'

/** A line for each route: who may call it, the right on the object that it needs, and the scope that limited credentials
 * need. */
function rolesText(): string {
  const rows = routes.map(({ method, path, policy }) => {
    const marks = ASKERS.map((asker) => (mayCall(policy, asker) ? 'yes' : '-').padEnd(17))
    return `${`${method} ${path}`.padEnd(84)}${marks.join('')}${(policy.object ?? '-').padEnd(10)}${scopeIn({ method, path, policy })}`
  })
  const head = `${'route'.padEnd(84)}${ASKERS.map((asker) => (asker ?? 'nobody').padEnd(17)).join('')}object    scope`
  return [head, ...rows.sort(), ''].join('\n')
}

/** The scope that a route needs, in which `-` stands for routes that no credentials of a user reach. */
function scopeIn(route: Route): string {
  return scoped.some(({ method, path }) => method === route.method && path === route.path)
    ? scopeOf(route.policy, route.method)
    : '-'
}

describe('roles', () => {
  test('every route and who may call it is in snapshots/roles.txt', () =>
    expectSnapshot('roles.txt', rolesText()))

  test('a route that changes something is open to nobody, but for logins, refreshes, the set-up, and pings, webhooks, runners and logouts of a provider, whose tokens say enough', () => {
    const open = routes.filter(({ method, policy }) => method !== 'GET' && mayCall(policy, null))
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'POST /oidc/backchannel-logout',
      'POST /oidc/session',
      'POST /runner/v1/register',
      'POST /scripts/webhook',
      'POST /scripts/webhook/:token',
      'POST /session/login',
      'POST /session/refresh',
      'POST /session/setup',
      'POST /webcollector/ping/:token',
      'POST /webcollector/ping/:token/:signal{.*}',
    ])
  })

  test('only administrators and editors write objects, everybody may be let maintain them, only administrators write users', () => {
    for (const { method, path, policy } of routes) {
      const able = ROLES.filter((role) => mayCall(policy, role))
      if (policy.object === 'write')
        expect({ path, able }).toEqual({ path, able: ['administrator', 'editor'] })
      // Maintaining may be granted to every role.
      if (policy.object === 'maintain') expect({ path, able }).toEqual({ path, able: [...ROLES] })
      const isOfPeople = path.startsWith('/users') || path.startsWith('/userGroups')
      // Users change some things of themselves: `users.suite.ts` says what.
      if (
        isOfPeople &&
        method !== 'GET' &&
        !['PUT /users/:id', 'PATCH /users/:id'].includes(`${method} ${path}`)
      )
        expect({ method, path, able }).toEqual({ method, path, able: ['administrator'] })
    }
  })
})

describe('scopes', () => {
  test('`read` passes GET, and of other methods those alone that only look', () => {
    const looking = scoped.filter(
      ({ method, policy }) => method !== 'GET' && scopeOf(policy, method) === 'read',
    )
    expect(looking.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'POST /:parentType/:parentId/searchPath',
      'POST /alarms',
      'POST /dashboards/:id/data',
      'POST /dashboards/export',
      'POST /dashboards/import/analyze',
      'POST /dashboards/import/grafana',
      'POST /dashboards/validate',
      'POST /dataQueries/:id/run',
      'POST /dataQueries/explain',
      'POST /dataQueries/preview',
      'POST /dataSources/:id/tables/:table/select',
      'POST /forecasts/:id/select',
      'POST /gis/cluster',
      'POST /jobs/:id/replay',
      'POST /root/searchPath',
      'POST /scripts/codeGenerator',
      'POST /scripts/export',
      'POST /scripts/groups/:groupId/analyze-zip',
    ])
  })

  test('no scope of a token changes users, rights, credentials, settings, backups or definitions of data sources', () => {
    const kept =
      /^\/(users|userGroups|session|settings|dataSources|ldap|oidc|runners|backups)|permissions|webhookTokens/
    const changes = scoped.filter(
      ({ method, path }) => method !== 'GET' && kept.test(path) && !/\/(select|rows)$/.test(path),
    )
    expect(changes.length).toBeGreaterThan(30)
    for (const { method, path, policy } of changes) {
      const isKeeping = ['POST /backups', 'DELETE /backups/:id'].includes(`${method} ${path}`)
      const fitting = isKeeping ? ['backup'] : ['account', 'administration']
      expect({ method, path, fits: fitting.includes(scopeOf(policy, method)) }).toEqual({
        method,
        path,
        fits: true,
      })
    }
  })
})

describe('a route without a policy stops the start', () => {
  for (const [room, { routes: handlers }] of Object.entries(ROOMS)) {
    for (const [index, { method, path }] of handlers.entries()) {
      if (policyOf(handlers[index]?.handler ?? {}) === undefined) continue
      test(`${room}: ${method} ${path}`, () => {
        const withPolicies = appOf(handlers)
        const without = appOf(handlers.filter((_, place) => place !== index))
        expect(() => routesOf(withPolicies)).not.toThrow()
        expect(() => routesOf(without)).toThrow(`The route ${method} ${path} has no policy.`)
      })
    }
  }

  test('also one that takes every method', () => {
    const app = new Hono<Env>().use(async (_, next) => next()).all('/everything', (c) => c.text('open'))
    expect(() => routesOf(app)).toThrow('The route ALL /everything has no policy.')
  })

  test('every route of the application is in one of the rooms above, or is the document', () => {
    const inRooms = Object.values(ROOMS).flatMap((room) => routesOf(room))
    expect(routes.length).toBe(inRooms.length + 1)
  })

  test('the rooms stand in the order of the table of rooms', async () => {
    const readme = await Bun.file(join(import.meta.dir, '../../src/README.md')).text()
    const rooms = [...readme.matchAll(/^\| `([a-z]+\/[a-z-]+)` \|/gm)].map(([, room = '']) => room)
    expect(Object.keys(ROOMS)).toEqual(rooms.filter((room) => ROOMS[room] !== undefined))
  })
})

function appOf(handlers: Hono<Env>['routes']): Hono<Env> {
  const app = new Hono<Env>()
  for (const { method, path, handler } of handlers) app.on(method, path, handler)
  return app
}
