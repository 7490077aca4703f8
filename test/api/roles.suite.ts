import { expect } from 'bun:test'

import { createApp } from '../../src/app.ts'
import { ROLES } from '../../src/context.ts'
import type { Role } from '../../src/context.ts'
import type { Route } from '../../src/http/policy.ts'
import type { Request } from './client.ts'
import { portless } from './portless.ts'
import type { Scenario, Suite } from './suite.ts'

export type Asker = Role | null

export const ASKERS: readonly Asker[] = [null, ...ROLES]

export const routes = createApp(portless).routes

export function mayCall({ roles }: Route['policy'], asker: Asker): boolean {
  if (roles === 'anyone') return true
  return asker !== null && (roles === 'signed-in' || roles.includes(asker))
}

const calls: Scenario[] = routes.map(({ method, path, policy }) => ({
  title: `${method} ${path} lets through whom its policy names, and nobody else`,
  async run(client) {
    for (const asker of ASKERS) {
      const request = { ...harmless(method, path), as: asker }
      const { status, text } = await client.request(method, reachable(path), request)
      const refused = asker === null ? 401 : 403
      if (mayCall(policy, asker)) expect([401, 403, 500], `${asker}: ${text}`).not.toContain(status)
      else expect({ asker, status }).toEqual({ asker, status: refused })
    }
  },
}))

/** Every route, called as nobody and as each role: what its policy says, which `snapshots/roles.txt` shows, is so. */
export const rolesSuite: Suite = { name: 'roles', scenarios: calls }

/** A path of the right form whose object is not there, so that an allowed call is not refused for want of a right. */
export function reachable(path: string): string {
  return path.replaceAll(
    /:(\w+)(?:\{([^}]*)\})?/g,
    (_, _name: string, kinds?: string) => kinds?.split('|')[0] ?? '999999999',
  )
}

/** A body that is no reason for 401 or 403. */
export function harmless(method: string, path: string): Request {
  if (method === 'GET' || method === 'DELETE') return {}
  if (path === '/session/logout') return { json: { sessionId: 'of nobody' } }
  return { json: {} }
}
