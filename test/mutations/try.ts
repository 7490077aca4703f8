import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Role } from '../../src/context.ts'
import type { Route } from '../../src/http/policy.ts'
import { connect } from '../api/client.ts'
import type { Client } from '../api/client.ts'
import { ABOVE } from '../api/matrix/above.ts'
import { CASES } from '../api/matrix/cases.ts'
import { readReviewed, tryCase, tryRoles } from '../api/matrix/run.ts'
import type { Reviewed } from '../api/matrix/run.ts'
import { makeWorld } from '../api/matrix/world.ts'
import type { World } from '../api/matrix/world.ts'
import { routes } from '../api/roles.suite.ts'
import { startHost } from '../hosts/start.ts'

const START_MAX_MS = 60_000

const sites = JSON.parse(process.env['TIDEMARK_MUTANTS'] ?? '[]') as readonly string[]
const reviewed = await readReviewed()
const known = (route: string): Reviewed => reviewed.get(route) ?? { may: new Set(), right: null }

let client: Client
let world: World

beforeAll(async () => {
  client = await connect(await startHost('bun'))
  world = await makeWorld(client)
}, START_MAX_MS)
afterAll(() => client.host.close())

const ALL: readonly string[] = [...reviewed.keys()]

test('before the mutants nothing is found', async () => {
  expect(sites.length).toBeGreaterThan(50)
  expect(await findAnything(ALL)).toBeNull()
})

for (const [number, site] of sites.entries()) {
  test(`${number} without rights at ${site}`, async () => {
    const switched = globalThis as { mutant?: number }
    switched.mutant = number
    try {
      expect(await findAnything(ALL)).not.toBeNull()
    } finally {
      switched.mutant = -1
    }
  })
}

const guarded = routes.filter(({ policy }) => policy.roles !== 'anyone')

for (const { method, path, policy } of guarded) {
  const route = `${method} ${path}`
  const without = policy.roles === 'signed-in' ? 'anyone' : 'signed-in'
  test(`${route} for ${without === 'anyone' ? 'everybody' : 'everybody signed in'}`, async () => {
    const rule = policy as { roles: Route['policy']['roles'] }
    const before: 'anyone' | 'signed-in' | readonly Role[] = rule.roles
    rule.roles = without
    try {
      expect(await findAnything([route])).not.toBeNull()
    } finally {
      rule.roles = before
    }
  })
}

test('after the mutants nothing is found', async () => {
  expect(await findAnything(ALL)).toBeNull()
})

/** What tells that something is wrong: the first answer that is not as it was to be. */
async function findAnything(wanted: readonly string[]): Promise<string | null> {
  try {
    if (wanted === ALL) for (const { run } of ABOVE) await run(client, world)
    for (const one of CASES.filter(({ route }) => wanted.includes(route))) {
      const [wrong] = (await tryCase(client, world, { one, reviewed: known(one.route) })).wrong
      if (wrong !== undefined) return wrong
    }
    for (const { method, path } of guarded.filter((route) =>
      wanted.includes(`${route.method} ${route.path}`),
    )) {
      const [wrong] = await tryRoles(client, { method, path, reviewed: known(`${method} ${path}`) })
      if (wrong !== undefined) return wrong
    }
    return null
  } catch (error) {
    return String(error)
  }
}
