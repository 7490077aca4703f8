import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { valid } from '../../http/valid.ts'
import { auditQuery, auditView } from './schema.ts'
import { listAudit } from './service.ts'

export const auditRoutes = new Hono<Env>().get(
  '/audit',
  policy({
    summary: 'List the entries of the audit log',
    roles: ADMINISTRATOR,
    answers: { 200: ok(z.object({ items: z.array(auditView) }), 'The entries, latest first.', ['Link']) },
  }),
  valid('query', auditQuery),
  async (c) => {
    const { items, next } = await listAudit(c.get('context'), c.req.valid('query'))
    return c.json({ items }, 200, nextLink(c, next))
  },
)
