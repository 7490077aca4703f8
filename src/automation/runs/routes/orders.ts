import { Hono } from 'hono'
import * as z from 'zod'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { boundaryOf, formParts } from '../../../content/files/multipart.ts'
import { ok } from '../../../http/openapi-answers.ts'
import { bodyChunks, collect, readBytes } from '../../../http/bytes.ts'
import { idempotencyKeyOf, REPLAYED } from '../../../http/idempotency.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { refusalOf, valid, withJson } from '../../../http/valid.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { requireScript } from '../../scripts/service/changes.ts'
import { jobPath, jobView, RUN_BODY_MAX_BYTES, runBody, runForm, scriptPath } from '../schema.ts'
import type { RunBody } from '../schema.ts'
import { takeUpload } from '../service/files.ts'
import type { Upload } from '../service/commit-order.ts'
import { orderRun, rerunJob } from '../service.ts'
import { namedOf, pathOf } from './paths.ts'
import type { ScriptCall } from './paths.ts'

/** Running is what every reader may, with credentials that are good for it. */
const running = { roles: SCRIPT_READERS, scope: 'execute' } as const
const ANSWER = {
  202: ok(jobView, 'The run, which waits for a runner.', ['Location', 'Idempotency-Replayed']),
}

const UPLOADS_MAX = 10
/** The bytes of all files and fields of a form. */
const FORM_MAX_BYTES = 20 * 1024 * 1024

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
      const form = await readForm(c.get('ports'), { request: c.req.raw, boundary }, script.acceptedFiles)
      return answer(c, await orderRun(c.get('context'), { ...order, ...form }))
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

/** Reads a form: what a JSON body has as fields, and files called `file`. Files are kept as they come.
 * @throws {Refusal} bad_request, invalid, too_large, unsupported_media_type, overloaded, unavailable */
async function readForm(
  ports: Ports,
  { request, boundary }: { readonly request: Request; readonly boundary: string },
  acceptedFiles: readonly string[],
): Promise<RunBody & { readonly uploads: readonly Upload[] }> {
  const fields = new Map<string, string>()
  const uploads: Upload[] = []
  for await (const part of formParts(bodyChunks(request, FORM_MAX_BYTES), boundary)) {
    const { name, filename, chunks } = part
    if (filename === null) {
      if (fields.has(name)) throw faulty(name, 'must not be repeated')
      if (!Object.hasOwn(runForm.shape, name)) throw faulty(name, 'is an unknown field')
      fields.set(name, new TextDecoder().decode(await collect(chunks, RUN_BODY_MAX_BYTES)))
      continue
    }
    if (name !== 'file') throw faulty(name, 'is an unknown field')
    if (uploads.length === UPLOADS_MAX)
      throw faulty(name, `must not be repeated more than ${UPLOADS_MAX} times`)
    const upload = await takeUpload({ ports }, part, acceptedFiles)
    if (uploads.some((other) => other.name === upload.name))
      throw faulty(name, 'must not have two files with the same name')
    uploads.push(upload)
  }
  const form = runForm.safeParse(Object.fromEntries(fields))
  if (!form.success) throw refusalOf('json', form.error)
  return { ...runBody.parse({}), ...(form.data as Partial<RunBody>), uploads }
}

function faulty(name: string, message: string): Refusal {
  const place = z.string().max(64).safeParse(name)
  const pointer = `/${place.success ? place.data.replaceAll('~', '~0').replaceAll('/', '~1') : ''}`
  return new Refusal('invalid', 'The form is invalid; see errors.', [{ pointer, message }])
}
