import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, ok } from '../../../http/answers.ts'
import { nextLink, pageOrWhole } from '../../../http/paging.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { LIMIT_MAX, searchQuery, searchView } from './schema.ts'
import { searchGroup } from './service.ts'

export const searchRoutes = new Hono<Env>().get(
  '/groups/:id/search',
  policy({
    summary: 'Find objects below a group by a filter definition',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(searchView, 'The objects, in the order of the tree.', ['Link']) },
  }),
  valid('param', z.object({ id: idParam })),
  valid('query', searchQuery),
  async (c) => {
    const { id } = c.req.valid('param')
    const { filterDefinition, ...asked } = c.req.valid('query')
    const { items, next } = await pageOrWhole(asked, LIMIT_MAX, (page) =>
      searchGroup(c.get('context'), id, { filterDefinition, ...page }),
    )
    return c.json({ items }, 200, nextLink(c, next))
  },
)
