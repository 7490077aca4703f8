import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Route } from '../../src/http/policy.ts'
import { connect } from '../api/client.ts'
import type { Client } from '../api/client.ts'
import { ABOVE } from '../api/matrix/above.ts'
import { CASES } from '../api/matrix/cases.ts'
import { HIDDEN } from '../api/matrix/hidden.ts'
import { of, readReviewed, tryCase, tryRoles, tryScopes } from '../api/matrix/run.ts'
import { makeWorld } from '../api/matrix/world.ts'
import type { World } from '../api/matrix/world.ts'
import { routes, scoped } from '../api/roles.suite.ts'
import { startHost } from '../hosts/start.ts'

const START_MAX_MS = 60_000

const sites = JSON.parse(process.env['TIDEMARK_MUTANTS'] ?? '[]') as readonly string[]
const reviewed = await readReviewed()

let client: Client
let world: World

beforeAll(async () => {
  client = await connect(await startHost('bun'))
  world = await makeWorld(client)
}, START_MAX_MS)
afterAll(() => client.host.close())

/** One way to find that something is wrong. */
type Step = { readonly route: string | null; readonly find: () => Promise<string | null> }

const guarded = routes.filter(({ policy }) => policy.roles !== 'anyone')

const steps: readonly Step[] = [
  ...[...ABOVE, ...HIDDEN].map(({ run }): Step => ({
    route: null,
    find: () =>
      run(client, world).then(
        () => null,
        (error: unknown) => String(error),
      ),
  })),
  ...CASES.map((one): Step => ({
    route: one.route,
    find: async () =>
      (await tryCase(client, world, { one, reviewed: of(reviewed, one.route) })).wrong[0] ?? null,
  })),
  ...guarded.map(({ method, path }): Step => {
    const route = `${method} ${path}`
    return {
      route,
      find: async () => (await tryRoles(client, { method, path, reviewed: of(reviewed, route) }))[0] ?? null,
    }
  }),
  ...scoped.map(({ method, path }): Step => {
    const route = `${method} ${path}`
    return {
      route,
      find: async () => (await tryScopes(client, { method, path, reviewed: of(reviewed, route) }))[0] ?? null,
    }
  }),
]

/** The switch that every site asks; it notes on which step somebody came by. */
const switches = { on: -1, step: 0, reached: sites.map(() => new Set<number>()) }
Object.assign(globalThis, {
  isMutant(site: number): boolean {
    switches.reached[site]?.add(switches.step)
    return switches.on === site
  },
})

/** The findings of the first of these steps. */
async function findAnything(wanted: Iterable<number>): Promise<string | null> {
  for (const step of wanted) {
    switches.step = step
    const found = await steps[step]?.find().catch(String)
    if (found != null) return found
  }
  return null
}

test('before the mutants nothing is found, and every site is reached', async () => {
  expect(sites.length).toBeGreaterThan(50)
  expect(await findAnything(steps.keys())).toBeNull()
  expect(sites.filter((_, site) => switches.reached[site]?.size === 0)).toEqual([])
})

for (const [site, name] of sites.entries()) {
  test(`${site} without rights at ${name}`, async () => {
    const wanted = [...(switches.reached[site] ?? [])]
    switches.on = site
    try {
      expect(await findAnything(wanted)).not.toBeNull()
    } finally {
      switches.on = -1
    }
  })
}

for (const { method, path, policy } of guarded) {
  const route = `${method} ${path}`
  const without = policy.roles === 'signed-in' ? 'anyone' : 'signed-in'
  test(`${route} for ${without === 'anyone' ? 'everybody' : 'everybody signed in'}`, async () => {
    const wanted = [...steps.keys()].filter((step) => steps[step]?.route === route)
    const rule = policy as { roles: Route['policy']['roles'] }
    const before = rule.roles
    rule.roles = without
    try {
      expect(await findAnything(wanted)).not.toBeNull()
    } finally {
      rule.roles = before
    }
  })
}

for (const { method, path, policy } of scoped) {
  const route = `${method} ${path}`
  const scope = of(reviewed, route).scope === 'read' ? 'write' : 'read'
  test(`${route} for the scope ${scope}`, async () => {
    const wanted = [...steps.keys()].filter((step) => steps[step]?.route === route)
    const rule = policy as { scope?: Route['policy']['scope'] }
    const before = rule.scope
    rule.scope = scope
    try {
      expect(await findAnything(wanted)).not.toBeNull()
    } finally {
      rule.scope = before
    }
  })
}

test('after the mutants nothing is found', async () => {
  expect(await findAnything(steps.keys())).toBeNull()
})
