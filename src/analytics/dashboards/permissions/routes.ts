import { Hono } from 'hono'
import { idPath, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { dashboardPath } from '../schema.ts'
import { grantsBody, grantsView } from './schema.ts'
import {
  listDashboardGrants,
  listGroupGrants,
  replaceDashboardGrants,
  replaceGroupGrants,
} from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const answers = { 200: ok(grantsView, 'The grants on it, and those on the groups around it.') }

export const permissionRoutes = new Hono<Env>()
  .get(
    '/dashboards/groups/:id/grants',
    policy({
      summary: 'List the grants on a group of dashboards that you may change',
      roles: EDITORS,
      answers,
    }),
    valid('param', idPath),
    async (c) => c.json(await listGroupGrants(c.get('context'), c.req.valid('param').id)),
  )
  .put(
    '/dashboards/groups/:id/grants',
    policy({
      summary: 'Replace the grants on a group of dashboards',
      roles: EDITORS,
      scope: 'administration',
      answers,
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', grantsBody),
    async (c) =>
      c.json(await replaceGroupGrants(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
  )
  .get(
    '/dashboards/:id/grants',
    policy({ summary: 'List the grants on a dashboard that you may change', roles: EDITORS, answers }),
    valid('param', dashboardPath),
    async (c) => c.json(await listDashboardGrants(c.get('context'), c.req.valid('param').id)),
  )
  .put(
    '/dashboards/:id/grants',
    policy({
      summary: 'Replace the grants on a dashboard',
      roles: EDITORS,
      scope: 'administration',
      answers,
    }),
    valid('param', dashboardPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', grantsBody),
    async (c) =>
      c.json(await replaceDashboardGrants(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
  )
