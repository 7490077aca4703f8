import { Hono } from 'hono'
import { admit, policy } from '../../http/policy.ts'
import type { Env, Policy } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { eventsQuery } from './schema.ts'
import { readEvents } from './service.ts'

const reading: Policy = {
  summary: 'Stream events (server-sent events)',
  roles: 'signed-in',
  object: 'read',
  answers: {
    200: {
      description: 'An endless stream of events; `docs/reference/events.md` describes them.',
      media: 'text/event-stream',
    },
  },
  refuses: [404],
}

export const eventRoutes = new Hono<Env>().get(
  '/events',
  policy(reading),
  valid('query', eventsQuery),
  async (c) => {
    const [context, request] = [c.get('context'), c.req.raw]
    return readEvents(context, {
      request,
      query: c.req.valid('query'),
      again: async () => admit(reading, request, c.var),
    })
  },
)
