import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, ok } from '../../http/answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { csvOf } from './csv.ts'
import { historyQuery, seriesView } from './schema.ts'
import { readHistory } from './service.ts'

export const historyRoutes = new Hono<Env>().get(
  '/jobs/:id/value-history',
  policy({
    summary: 'The values a job has received, in buckets or one by one; CSV for `Accept: text/csv`',
    roles: 'signed-in',
    object: 'read',
    answers: {
      200: {
        ...ok(
          z.union([seriesView, z.array(seriesView)]),
          'One series, or an array of them where `key` was repeated.',
        ),
        alsoMedia: ['text/csv'],
      },
    },
  }),
  valid('param', z.object({ id: idParam })),
  valid('query', historyQuery),
  async (c) => {
    const query = c.req.valid('query')
    const series = await readHistory(c.get('context'), c.req.valid('param').id, query)
    if (c.req.header('accept')?.includes('text/csv')) {
      return c.body(csvOf(series), 200, { 'content-type': 'text/csv; charset=utf-8' })
    }
    return c.json(typeof query.key === 'string' ? series[0] : series)
  },
)
