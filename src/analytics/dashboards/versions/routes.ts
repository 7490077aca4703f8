import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { valid } from '../../../http/valid.ts'
import { dashboardPath, dashboardView, versionPath } from '../schema.ts'
import { changeView, diffQuery, versionSummary, versionView } from './schema.ts'
import { compareVersions, listVersions, readVersion, restoreVersion } from './service.ts'

export const versionRoutes = new Hono<Env>()
  .get(
    '/dashboards/:id/versions',
    policy({
      summary: 'List the versions of a dashboard',
      roles: 'signed-in',
      answers: {
        200: ok(z.object({ items: z.array(versionSummary) }), 'The versions, the latest first; at most 100.'),
      },
    }),
    valid('param', dashboardPath),
    async (c) => c.json({ items: await listVersions(c.get('context'), c.req.valid('param').id) }),
  )
  .get(
    '/dashboards/:id/versions/:number',
    policy({
      summary: 'Read a version of a dashboard',
      roles: 'signed-in',
      answers: { 200: ok(versionView, 'The version.') },
    }),
    valid('param', versionPath),
    async (c) => {
      const { id: ref, number } = c.req.valid('param')
      return c.json(await readVersion(c.get('context'), { ref, number }))
    },
  )
  .get(
    '/dashboards/:id/versions/:number/diff',
    policy({
      summary: 'Compare two versions of a dashboard',
      roles: 'signed-in',
      answers: {
        200: ok(z.object({ items: z.array(changeView) }), 'The differences; at most 1,000.'),
      },
    }),
    valid('param', versionPath),
    valid('query', diffQuery),
    async (c) => {
      const { id: ref, number } = c.req.valid('param')
      const { to } = c.req.valid('query')
      return c.json({ items: await compareVersions(c.get('context'), { ref, number }, to) })
    },
  )
  .post(
    '/dashboards/:id/versions/:number/restore',
    policy({
      summary: 'Make an earlier version of a dashboard the next one',
      roles: EDITORS,
      answers: { 200: ok(dashboardView, 'The dashboard.', ['ETag']) },
      refuses: [409, 412],
    }),
    valid('param', versionPath),
    async (c) => {
      const { id: ref, number } = c.req.valid('param')
      const { view, version } = await restoreVersion(c.get('context'), { ref, number })
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
