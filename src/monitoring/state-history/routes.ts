import { Hono } from 'hono'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { OBJECT_NOUNS } from '../tree/schema.ts'
import type { ObjectType } from '../tree/schema.ts'
import { stateChangeRoutes } from './changes/routes.ts'
import { stateHistoryQuery, stateHistoryView } from './schema.ts'
import { readStateHistory } from './service.ts'

/** The route for one type of object; containers have their own. */
function historyOf(type: ObjectType) {
  return new Hono<Env>().get(
    `/${type}s/:id/state-history`,
    policy({
      summary: `Read the state history and the availability of a ${OBJECT_NOUNS[type]}`,
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(stateHistoryView, 'The state history.') },
    }),
    valid('param', idPath),
    valid('query', stateHistoryQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await readStateHistory(c.get('context'), { type, id }, c.req.valid('query')))
    },
  )
}

export const stateHistoryRoutes = new Hono<Env>()
  .route('/', historyOf('job'))
  .route('/', historyOf('device'))
  .route('/', historyOf('group'))
  .route('/', historyOf('slo'))
  .route('/', stateChangeRoutes)
