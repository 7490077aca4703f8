import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { OBJECT_NOUNS } from '../tree/schema.ts'
import type { ObjectType } from '../tree/schema.ts'
import { outagesQuery, outageView } from './schema.ts'
import { listOutages } from './service.ts'

/** The route for one type of object. */
function outagesOf(type: ObjectType) {
  return new Hono<Env>().get(
    `/${type}s/:id/outages`,
    policy({
      summary: `List the outages of a ${OBJECT_NOUNS[type]}`,
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(z.array(outageView), 'The outages; the list can be empty.', ['Link']) },
    }),
    valid('param', idPath),
    valid('query', outagesQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const { items, next } = await listOutages(c.get('context'), { type, id }, c.req.valid('query'))
      return c.json(items, 200, nextLink(c, next))
    },
  )
}

export const outageRoutes = new Hono<Env>()
  .route('/', outagesOf('device'))
  .route('/', outagesOf('job'))
  .route('/', outagesOf('group'))
  .route('/', outagesOf('slo'))
  .route('/', outagesOf('slc'))
