import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { csvOf } from './csv.ts'
import { jsonOf } from './json.ts'
import { historiesQuery, historyQuery, seriesView } from './schema.ts'
import type { SeriesView } from './schema.ts'
import { readHistories, readHistory } from './service.ts'

export const historyRoutes = new Hono<Env>()
  .get(
    '/jobs/:id/value-history',
    policy({
      summary:
        'Read the value history (time series) of a job, in buckets or as single samples; CSV with `Accept: text/csv`',
      roles: 'signed-in',
      object: 'read',
      answers: {
        200: {
          ...ok(
            z.union([seriesView, z.array(seriesView)]),
            'One series, or an array of series if `key` was repeated.',
          ),
          alsoMedia: ['text/csv'],
        },
      },
    }),
    valid('param', idPath),
    valid('query', historyQuery),
    async (c) => {
      const query = c.req.valid('query')
      const series = await readHistory(c.get('context'), c.req.valid('param').id, query)
      if (wantsCsv(c)) return csv(c, series)
      return json(c, typeof query.key === 'string' ? series.map(jsonOf).join() : listOf(series))
    },
  )
  .get(
    '/value-history',
    policy({
      summary: 'Read the value histories of many jobs, in buckets; CSV with `Accept: text/csv`',
      roles: 'signed-in',
      object: 'read',
      refuses: [404],
      answers: {
        200: {
          ...ok(z.array(seriesView), 'The series, by job and then by key, in the order of the query.'),
          alsoMedia: ['text/csv'],
        },
      },
    }),
    valid('query', historiesQuery),
    async (c) => {
      const series = await readHistories(c.get('context'), c.req.valid('query'))
      return wantsCsv(c) ? csv(c, series) : json(c, listOf(series))
    },
  )

function wantsCsv(c: HonoContext<Env>): boolean {
  return c.req.header('accept')?.includes('text/csv') === true
}

function csv(c: HonoContext<Env>, series: readonly SeriesView[]): Response {
  return c.body(csvOf(series), 200, { 'content-type': 'text/csv; charset=utf-8' })
}

function json(c: HonoContext<Env>, text: string): Response {
  return c.body(text, 200, { 'content-type': 'application/json' })
}

function listOf(series: readonly SeriesView[]): string {
  return `[${series.map(jsonOf).join()}]`
}
