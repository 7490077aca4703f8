import { expect } from 'bun:test'

import { createApp } from '../../src/app.ts'
import type { Route } from '../../src/http/policy.ts'
import { of, readReviewed, tryRoles, tryScopes } from './matrix/run.ts'
import type { Asker } from './matrix/run.ts'
import { portless } from './portless.ts'
import type { Scenario, Suite } from './suite.ts'

export const routes = createApp(portless).routes

export function mayCall({ roles }: Route['policy'], asker: Asker): boolean {
  if (roles === 'anyone') return true
  return asker !== null && (roles === 'signed-in' || roles.includes(asker))
}

const reviewed = await readReviewed()

/** Callers and credentials are decided above the ports: routes of one policy stand for each other on other hosts. */
function policyOf(method: string, path: string, credentials: string): string {
  const { may, right, scope } = of(reviewed, `${method} ${path}`)
  return [credentials, ...may, right, scope].join(' ')
}

const calls: Scenario[] = routes.map(({ method, path }) => ({
  title: `${method} ${path} lets through whom its policy names, and nobody else`,
  decidedAbovePorts: policyOf(method, path, 'a session'),
  async run(client) {
    expect(await tryRoles(client, { method, path, reviewed: of(reviewed, `${method} ${path}`) })).toEqual([])
  },
}))

/** The routes that limited credentials of a user can reach. */
export const scoped = routes.filter(({ policy }) => policy.roles !== 'anyone' && policy.roles !== 'runner')

const limited: Scenario[] = scoped.map(({ method, path }) => ({
  title: `${method} ${path} lets through limited credentials of its scope, and no others`,
  decidedAbovePorts: policyOf(method, path, 'limited credentials'),
  async run(client) {
    expect(await tryScopes(client, { method, path, reviewed: of(reviewed, `${method} ${path}`) })).toEqual([])
  },
}))

/** Every route, called as nobody, as each role and with each scope: the answers fit `snapshots/roles.txt`. */
export const rolesSuite: Suite = { name: 'roles', scenarios: [...calls, ...limited] }
