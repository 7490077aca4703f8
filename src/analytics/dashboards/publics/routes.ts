import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { contentTag, isFresh, UNCHANGED } from '../../../http/preconditions.ts'
import { EDITORS } from '../../../http/roles.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { bodyOfQuery } from '../data/query.ts'
import { dashboardPath } from '../schema.ts'
import { frameView, publicBody, publicDataView, publicView, tokenPath } from './schema.ts'
import { deletePublic, movePublic, readPublic, savePublic } from './service.ts'
import { readFrame, readPublicData, requireOpen } from './service/reading.ts'

const BODY_MAX_BYTES = 64 * 1024

const answers = { 200: ok(publicView, 'The public link.') }
/** No cache on the way keeps an answer, so that a link ends at once. */
const SHARED = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

export const publicLinkRoutes = new Hono<Env>()
  .get(
    '/dashboards/:id/public',
    policy({ summary: 'Read the public link of a dashboard', roles: EDITORS, answers }),
    valid('param', dashboardPath),
    async (c) => c.json(await readPublic(c.get('context'), c.req.valid('param').id)),
  )
  .put(
    '/dashboards/:id/public',
    policy({
      summary: 'Publish a dashboard with your rights, or change its public link',
      roles: EDITORS,
      answers,
      refuses: [409],
    }),
    valid('param', dashboardPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', publicBody),
    async (c) => c.json(await savePublic(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
  )
  .post(
    '/dashboards/:id/public/move',
    policy({ summary: 'Move the public link of a dashboard to a new secret path', roles: EDITORS, answers }),
    valid('param', dashboardPath),
    async (c) => c.json(await movePublic(c.get('context'), c.req.valid('param').id)),
  )
  .delete(
    '/dashboards/:id/public',
    policy({ summary: 'Delete the public link of a dashboard', roles: EDITORS, answers: { 204: noContent } }),
    valid('param', dashboardPath),
    async (c) => {
      await deletePublic(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )

export const publicDashboardRoutes = new Hono<Env>()
  .get(
    '/public/dashboards/:token',
    policy({
      summary: 'Go to the page of a public dashboard',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: { 303: { description: 'The page of the web console.', headers: ['Location'] } },
      refuses: [429],
    }),
    valid('param', tokenPath),
    async (c) => {
      const { token } = c.req.valid('param')
      await requireOpen(c.get('context'), token)
      for (const [name, value] of Object.entries(SHARED)) c.header(name, value)
      const { search } = new URL(c.req.url)
      return c.redirect(`${c.get('ports').settings.basePath}/ui/public/${token}${search}`, 303)
    },
  )
  .get(
    '/public/dashboards/:token/frame',
    policy({
      summary: 'Read the shown parts of a public dashboard',
      roles: 'anyone',
      answers: {
        200: ok(frameView, 'The widgets and their places.', ['ETag']),
        304: UNCHANGED,
      },
      refuses: [429],
    }),
    valid('param', tokenPath),
    async (c) => shared(c, await readFrame(c.get('context'), c.req.valid('param').token)),
  )
  .get(
    '/public/dashboards/:token/data',
    policy({
      summary: 'Read the data of a public dashboard, with adjustable parameters as `p.line=1`',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: {
        200: ok(publicDataView, 'The data of each widget.', ['ETag']),
        304: UNCHANGED,
      },
      refuses: [422, 429],
    }),
    valid('param', tokenPath),
    async (c) => {
      const { params } = bodyOfQuery({}, new URL(c.req.url).searchParams, [])
      return shared(c, await readPublicData(c.get('context'), c.req.valid('param').token, params))
    },
  )

async function shared(c: HonoContext<Env>, view: object): Promise<Response> {
  const etag = await contentTag(JSON.stringify(view))
  if (isFresh(c.req.raw, etag)) return c.body(null, 304, { ...SHARED, etag })
  return c.json(view, 200, { ...SHARED, etag })
}
