import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { syncReport } from './schema.ts'
import { latestSync, syncNow } from './service.ts'

const ADMINISTRATOR = ['administrator'] as const

export const directoryRoutes = new Hono<Env>()
  .post(
    '/ldap/sync',
    policy({
      summary: 'Make users what the directory says',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(syncReport, 'What it came to.') },
      refuses: [409, 503],
    }),
    async (c) => c.json(await syncNow(c.get('context'))),
  )
  .get(
    '/ldap/sync',
    policy({
      summary: 'What the latest sync with the directory came to',
      roles: ADMINISTRATOR,
      answers: { 200: ok(syncReport, 'The latest report.') },
      refuses: [404],
    }),
    async (c) => c.json(await latestSync(c.get('context'))),
  )
