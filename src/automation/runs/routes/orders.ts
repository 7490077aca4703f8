import { Hono } from 'hono'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { readForm } from '../../../content/files/form.ts'
import { boundaryOf } from '../../../content/files/multipart.ts'
import { ok } from '../../../http/openapi-answers.ts'
import { readBytes } from '../../../http/bytes.ts'
import { idempotencyKeyOf, REPLAYED } from '../../../http/idempotency.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { valid, withJson } from '../../../http/valid.ts'
import { Refusal } from '../../../lib/errors.ts'
import { requireScript } from '../../scripts/service/changes.ts'
import { jobPath, jobView, RUN_BODY_MAX_BYTES, runBody, runForm, scriptPath } from '../schema.ts'
import type { RunBody } from '../schema.ts'
import { takeUpload } from '../service/files.ts'
import { orderRun, rerunJob } from '../service.ts'
import { namedOf, pathOf } from './paths.ts'
import type { ScriptCall } from './paths.ts'

/** Running is what every reader may, with credentials that are good for it. */
const running = { roles: SCRIPT_READERS, scope: 'execute' } as const
const ANSWER = {
  202: ok(jobView, 'The run, which waits for a runner.', ['Location', 'Idempotency-Replayed']),
}

const UPLOADS_MAX = 10

export const orderRoutes = new Hono<Env>()
  .post(
    '/scripts/:script/run',
    policy({
      ...running,
      summary: 'Run a script, with files in a form',
      takes: {
        media: { 'application/json': runBody, 'multipart/form-data': 'bytes' },
        encodings: ['identity'],
        isOptional: true,
      },
      answers: ANSWER,
      refuses: [409, 422, 503],
      isRepeatable: true,
    }),
    valid('param', scriptPath),
    async (c) => {
      const script = await requireScript(c.get('ports'), c.req.valid('param').script)
      const order = { scriptId: script.id, trigger: 'manual', key: idempotencyKeyOf(c.req.raw) } as const
      const type = c.req.header('content-type') ?? null
      const boundary = boundaryOf(type)
      if (boundary === null && (await isEmpty(c.req.raw, type)))
        return answer(c, await orderRun(c.get('context'), { ...order, ...runBody.parse({}), uploads: [] }))
      if (boundary === null)
        return withJson(c.req.raw, JSON_BODY, async (body) =>
          answer(c, await orderRun(c.get('context'), { ...order, ...body, uploads: [] })),
        )
      const { fields, files: uploads } = await readForm(
        { request: c.req.raw, boundary },
        {
          schema: runForm,
          fieldMaxBytes: RUN_BODY_MAX_BYTES,
          filesMax: UPLOADS_MAX,
          take: (part) => takeUpload(c.get('context'), part, script.acceptedFiles),
        },
      )
      const body = { ...runBody.parse({}), ...(fields as Partial<RunBody>) }
      return answer(c, await orderRun(c.get('context'), { ...order, ...body, uploads }))
    },
  )
  .post(
    '/scripts/:script/jobs/:jobId/rerun',
    policy({
      ...running,
      summary: 'Re-run a job',
      answers: ANSWER,
      refuses: [409, 503],
      isRepeatable: true,
    }),
    valid('param', jobPath),
    async (c) => {
      const named = await namedOf(c, c.req.valid('param').jobId)
      return answer(c, await rerunJob(c.get('context'), named, idempotencyKeyOf(c.req.raw)))
    },
  )

const JSON_BODY = { schema: runBody, sizeMaxBytes: RUN_BODY_MAX_BYTES, plain: () => null }

/** Whether a request has no body, which stands for `{}`.
 * @throws {Refusal} unsupported_media_type for a body that is neither JSON nor a form */
async function isEmpty(request: Request, type: string | null): Promise<boolean> {
  if (request.body === null || request.headers.get('content-length') === '0') return true
  if (/^\s*application\/json\s*(?:;|$)/i.test(type ?? '')) return false
  if (type === null && (await readBytes(request, RUN_BODY_MAX_BYTES)).byteLength === 0) return true
  throw new Refusal(
    'unsupported_media_type',
    'Send application/json, or multipart/form-data with each file in a field `file`.',
  )
}

function answer(c: ScriptCall, { job, isReplayed }: Awaited<ReturnType<typeof orderRun>>): Response {
  return Response.json(job, {
    status: 202,
    headers: { location: pathOf(c, job), ...(isReplayed ? REPLAYED : {}) },
  })
}
