import { Hono } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import * as z from 'zod'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { UNCHANGED } from '../../http/preconditions.ts'
import { EDITORS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { sha256Base64 } from '../../lib/digest.ts'
import { parentPath } from '../tree/browse/schema.ts'
import { languageOf } from './language.ts'
import { STYLE } from './page.ts'
import {
  badgeQuery,
  listedStatusPage,
  publicPath,
  statusPageBody,
  statusPagesQuery,
  statusPageView,
} from './schema.ts'
import {
  deleteStatusPage,
  listStatusPages,
  moveStatusPage,
  readStatusPage,
  saveStatusPage,
  showBadge,
  showPage,
} from './service.ts'

const BODY_MAX_BYTES = 8 * 1024
const MAX_AGE_S = 30

const editing = { roles: EDITORS, object: 'write' } as const
const answers = { 200: ok(statusPageView, 'The status page: its contents and its addresses.') }

const editingRoutes = new Hono<Env>()
  .get(
    '/status-pages',
    policy({
      roles: EDITORS,
      summary: 'List the status pages of all objects that you may change',
      answers: {
        200: ok(
          z.object({ items: z.array(listedStatusPage) }),
          'The status pages, by the id of their object.',
          ['Link'],
        ),
      },
    }),
    valid('query', statusPagesQuery),
    async (c) => {
      const { items, next } = await listStatusPages(c.get('context'), c.req.valid('query'))
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .get(
    '/:parentType/:parentId/status-page',
    policy({ ...editing, summary: 'Read the status page and badge of an object', answers }),
    valid('param', parentPath),
    async (c) => c.json(await readStatusPage(c.get('context'), c.req.valid('param'))),
  )
  .put(
    '/:parentType/:parentId/status-page',
    policy({
      ...editing,
      summary: 'Publish or change the status page and badge of an object',
      answers,
    }),
    valid('param', parentPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', statusPageBody),
    async (c) => c.json(await saveStatusPage(c.get('context'), c.req.valid('param'), c.req.valid('json'))),
  )
  .post(
    '/:parentType/:parentId/status-page/move',
    policy({
      ...editing,
      summary: 'Move the status page and badge of an object to new secret addresses',
      answers,
    }),
    valid('param', parentPath),
    async (c) => c.json(await moveStatusPage(c.get('context'), c.req.valid('param'))),
  )
  .delete(
    '/:parentType/:parentId/status-page',
    policy({
      ...editing,
      summary: 'Delete the status page and badge of an object',
      answers: { 204: noContent },
    }),
    valid('param', parentPath),
    async (c) => {
      await deleteStatusPage(c.get('context'), c.req.valid('param'))
      return c.body(null, 204)
    },
  )

/** Public caches may keep the answers. Other sites may embed the badge. */
const CACHED = {
  'cache-control': `public, max-age=${MAX_AGE_S}`,
  vary: 'Accept-Language',
  'cross-origin-resource-policy': 'cross-origin',
}
const HEADERS = ['Cache-Control', 'ETag']
const unlessSame = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'cross-origin-resource-policy', 'content-security-policy'],
})

export const statusPageRoutes = editingRoutes
  .get(
    '/status/:token',
    policy({
      summary: 'Read a public status page; English, German or French by Accept-Language',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: {
        200: { description: 'The status page.', media: 'text/html', headers: HEADERS },
        304: UNCHANGED,
      },
    }),
    valid('param', publicPath),
    unlessSame,
    async (c) => {
      const language = languageOf(c.req.header('accept-language'))
      const html = await showPage(c.get('ports'), c.req.valid('param').token, language)
      return c.body(html, 200, {
        ...CACHED,
        'content-type': 'text/html; charset=utf-8',
        'content-language': language,
        'content-security-policy': `default-src 'none'; style-src 'sha256-${await sha256Base64(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      })
    },
  )
  .get(
    '/badges/:token',
    policy({
      summary: 'Read a public status badge; English, German or French by Accept-Language',
      roles: 'anyone',
      ignoresUnknownQuery: true,
      answers: {
        200: { description: 'The badge.', media: 'image/svg+xml', headers: HEADERS },
        304: UNCHANGED,
      },
    }),
    valid('param', publicPath),
    valid('query', badgeQuery),
    unlessSame,
    async (c) => {
      const language = languageOf(c.req.header('accept-language'))
      const { show } = c.req.valid('query')
      const svg = await showBadge(c.get('ports'), c.req.valid('param').token, { language, show })
      return c.body(svg, 200, { ...CACHED, 'content-type': 'image/svg+xml', 'content-language': language })
    },
  )
