import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { syncReport } from './schema.ts'
import { latestSync, syncNow } from './service.ts'

export const directoryRoutes = new Hono<Env>()
  .post(
    '/ldap/sync',
    policy({
      summary: 'Synchronize users with the LDAP directory',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(syncReport, 'The report of the sync.') },
      refuses: [409, 503],
    }),
    async (c) => c.json(await syncNow(c.get('context'))),
  )
  .get(
    '/ldap/sync',
    policy({
      summary: 'Read the report of the latest directory sync',
      roles: ADMINISTRATOR,
      answers: { 200: ok(syncReport, 'The report of the latest sync.') },
      refuses: [404],
    }),
    async (c) => c.json(await latestSync(c.get('context'))),
  )
