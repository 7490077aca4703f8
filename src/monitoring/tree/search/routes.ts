import { Hono } from 'hono'
import { idPath, ok } from '../../../http/openapi-answers.ts'
import { nextLink, pageOrWhole } from '../../../http/paging.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid } from '../../../http/valid.ts'
import { OBJECT_NOUNS } from '../schema.ts'
import type { ObjectType } from '../schema.ts'
import { LIMIT_MAX, listQuery, searchQuery, searchView } from './schema.ts'
import { listObjects, searchGroup } from './service.ts'

/** The route that lists the objects of one type. */
function listing<Path extends string>(path: Path, type: ObjectType) {
  return new Hono<Env>().get(
    path,
    policy({
      summary: `List all ${OBJECT_NOUNS[type]}s that the caller can read`,
      roles: 'signed-in',
      answers: { 200: ok(searchView, 'The objects, in the order of the tree.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIMIT_MAX, (page) =>
        listObjects(c.get('context'), type, page),
      )
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
}

export const listRoutes = new Hono<Env>()
  .route('/', listing('/groups', 'group'))
  .route('/', listing('/devices', 'device'))
  .route('/', listing('/jobs', 'job'))
  .route('/', listing('/slos', 'slo'))
  .route('/', listing('/slcs', 'slc'))

export const searchRoutes = new Hono<Env>().get(
  '/groups/:id/search',
  policy({
    summary: 'Find objects below a group by a filter definition',
    roles: 'signed-in',
    object: 'read',
    answers: { 200: ok(searchView, 'The objects, in the order of the tree.', ['Link']) },
  }),
  valid('param', idPath),
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
