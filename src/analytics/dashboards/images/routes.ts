import { Hono } from 'hono'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { contentTag, isFresh, UNCHANGED } from '../../../http/preconditions.ts'
import { valid } from '../../../http/valid.ts'
import { bodyOfQuery } from '../data/query.ts'
import { widgetPath } from '../runs/schema.ts'
import { IMAGE_FIELDS, imageQuery } from './schema.ts'
import { readImage } from './service.ts'

const SVG = 'image/svg+xml'

export const imageRoutes = new Hono<Env>().get(
  '/dashboards/:id/widgets/:widget/svg',
  policy({
    summary: 'Read an image of a widget, with parameters as `p.region=north`',
    roles: 'signed-in',
    ignoresUnknownQuery: true,
    answers: {
      200: { description: 'The image, without scripts.', media: SVG, headers: ['ETag'] },
      304: UNCHANGED,
    },
    refuses: [403, 409, 503],
  }),
  valid('param', widgetPath),
  valid('query', imageQuery),
  async (c) => {
    const { width, height, theme, from, to } = c.req.valid('query')
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const body = bodyOfQuery(range, new URL(c.req.url).searchParams, IMAGE_FIELDS)
    const { id: ref, widget } = c.req.valid('param')
    const image = await readImage(c.get('context'), { ref, widget }, { look: { width, height, theme }, body })
    const etag = await contentTag(image)
    if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
    return c.body(image, 200, {
      etag,
      'content-type': SVG,
      'content-security-policy': "default-src 'none'; sandbox",
    })
  },
)
