import { Hono } from 'hono'
import { readForm } from '../../../content/files/form.ts'
import { boundaryOf } from '../../../content/files/multipart.ts'
import { idempotencyKeyOf, REPLAYED } from '../../../http/idempotency.ts'
import { ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid, withJson } from '../../../http/valid.ts'
import { widgetPath, widgetRunBody, widgetRunForm, widgetRunView } from './schema.ts'
import { requireWidget, runWidget } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const FORM = { schema: widgetRunForm, fieldMaxBytes: BODY_MAX_BYTES }
const JSON_BODY = { schema: widgetRunBody, sizeMaxBytes: BODY_MAX_BYTES, plain: () => null }

export const widgetRunRoutes = new Hono<Env>().post(
  '/dashboards/:id/widgets/:widget/run',
  policy({
    summary: 'Run the script of a widget, with files in a form',
    roles: 'signed-in',
    scope: 'execute',
    takes: {
      media: { 'application/json': widgetRunBody, 'multipart/form-data': 'bytes' },
      encodings: ['identity'],
    },
    answers: { 202: ok(widgetRunView, 'The run, which waits for a runner.', ['Idempotency-Replayed']) },
    refuses: [403, 409, 422, 429, 503],
    isRepeatable: true,
  }),
  valid('param', widgetPath),
  async (c) => {
    const [context, { id, widget }] = [c.get('context'), c.req.valid('param')]
    const key = idempotencyKeyOf(c.req.raw)
    const runnable = await requireWidget(context, id, widget)
    const boundary = boundaryOf(c.req.header('content-type') ?? null)
    const runForm = async (request: Request, of: string) => {
      const { filesMax, takeFile: take } = runnable
      const { fields, files } = await readForm({ request, boundary: of }, { ...FORM, filesMax, take })
      return runWidget(context, runnable, { params: fields.params, uploads: files, key })
    }
    const { run, isReplayed } =
      boundary === null
        ? await withJson(c.req.raw, JSON_BODY, ({ params }) =>
            runWidget(context, runnable, { params, uploads: [], key }),
          )
        : await runForm(c.req.raw, boundary)
    return c.json(run, 202, isReplayed ? REPLAYED : {})
  },
)
