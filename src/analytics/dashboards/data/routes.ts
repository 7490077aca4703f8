import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { contentTag, isFresh, UNCHANGED } from '../../../http/preconditions.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { dashboardPath } from '../schema.ts'
import type { DashboardRef } from '../schema.ts'
import { bodyOfQuery } from './query.ts'
import { dataBody, dataQuery, dataView } from './schema.ts'
import type { DataBody } from './schema.ts'
import { readData, streamData } from './service.ts'

const BODY_MAX_BYTES = 256 * 1024
const NDJSON = 'application/x-ndjson'

const reading = { roles: 'signed-in', scope: 'read' } as const
const data = { ...ok(dataView, 'The data of each widget with its own status.'), alsoMedia: [NDJSON] }

export const dataRoutes = new Hono<Env>()
  .post(
    '/dashboards/:id/data',
    policy({
      ...reading,
      summary: 'Read the data of the widgets of a dashboard; as NDJSON each as soon as it is there',
      answers: { 200: data },
    }),
    valid('param', dashboardPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', dataBody),
    async (c) => {
      const [{ id }, body] = [c.req.valid('param'), c.req.valid('json')]
      if (wantsLines(c)) return lines(c, id, body)
      return c.json(await readData(c.get('context'), id, body))
    },
  )
  .get(
    '/dashboards/:id/data',
    policy({
      ...reading,
      summary: 'Read the data of the widgets of a dashboard, with an ETag for all',
      ignoresUnknownQuery: true,
      answers: {
        200: { ...data, headers: ['ETag'] },
        304: UNCHANGED,
      },
    }),
    valid('param', dashboardPath),
    valid('query', dataQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const body = { areTexts: true, ...bodyOfQuery(c.req.valid('query'), new URL(c.req.url).searchParams) }
      if (wantsLines(c)) return lines(c, id, body)
      const view = await readData(c.get('context'), id, body)
      const tags = Object.entries(view.widgets).map(([widget, { status, etag, code }]) => [
        widget,
        status,
        etag,
        code,
      ])
      const etag = await contentTag(JSON.stringify([view.params, tags]))
      if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
      return c.json(view, 200, { etag })
    },
  )

function wantsLines(c: HonoContext<Env>): boolean {
  return c.req.header('accept')?.includes(NDJSON) === true
}

/** A line with the instant and the parameters, and a line for each widget. */
async function lines(c: HonoContext<Env>, ref: DashboardRef, body: DataBody): Promise<Response> {
  const context = c.get('context')
  const { head, run } = await streamData(context, ref, body)
  const encoder = new TextEncoder()
  let hasLeft = false
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (line: object) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      write(head)
      try {
        await run((widget, answer) => write({ widget, ...answer }))
        controller.close()
      } catch (error) {
        if (!hasLeft && !c.req.raw.signal.aborted)
          context.ports.log.error('dashboards: a stream of data broke off', error, {
            dashboardId: ref,
            requestId: context.requestId,
          })
        controller.error(error)
      }
    },
    cancel: () => {
      hasLeft = true
    },
  })
  return new Response(stream, { headers: { 'content-type': NDJSON } })
}
