import { Hono } from 'hono'
import type { Context as Call } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env, Policy } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { bodyChunks } from '../../../http/bytes.ts'
import { answerStored } from '../../../http/file-response.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import {
  aboutRunner,
  beat,
  finished,
  LOG_CHUNK_MAX_BYTES,
  logChunk,
  OUTPUT_MAX_BYTES,
  poll,
  polled,
  progress,
  registered,
  started,
} from '../protocol.ts'
import { openFile, takeOutput } from '../service/files.ts'
import { accept, finish, holderOf, keepHold, start, takeLog, takeProgress } from '../service/lease.ts'
import type { Holder } from '../service/lease.ts'
import { runnerView } from './schema.ts'
import { deleteRunner, listRunners, pollJobs, registerRunner } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

const heldPath = z.object({ jobId: z.string().min(1).max(64) })
const treePath = heldPath.extend({ path: z.string().min(1).max(4_096) })
const namePath = heldPath.extend({ name: z.string().min(1).max(1_024) })
const BYTES = { 200: { description: 'The bytes of the file.', media: 'application/octet-stream' } }

/** A runner's report about an assigned job, authenticated by the runner's token and the token of the attempt. */
const speaking = (summary: string, answer: Policy['answers'], refuses: readonly number[] = []): Policy => ({
  summary: `${summary} (runner protocol)`,
  roles: 'runner',
  answers: answer,
  refuses: [400, 401, 409, ...refuses],
})
const BEAT = { 200: ok(beat, 'Whether the run must be stopped.') }

export const runnerRoutes = new Hono<Env>()
  .get(
    '/runners',
    policy({
      summary: 'List the runners',
      roles: ADMINISTRATOR,
      answers: { 200: ok(z.array(runnerView), 'The runners, by name.') },
    }),
    async (c) => c.json(await listRunners(c.get('context'))),
  )
  .delete(
    '/runners/:id',
    policy({
      summary: 'Delete a runner',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
    }),
    valid('param', idPath),
    async (c) => {
      await deleteRunner(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .post(
    '/runner/v1/register',
    policy({
      summary: 'Register a runner (runner protocol)',
      roles: 'anyone',
      answers: { 200: ok(registered, 'The token of the runner.') },
      refuses: [401, 409, 501],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', aboutRunner),
    async (c) => c.json(await registerRunner(c.get('context'), c.req.valid('json'))),
  )
  .post(
    '/runner/v1/poll',
    policy({
      summary: 'Wait for runs (runner protocol)',
      roles: 'runner',
      answers: { 200: ok(polled, 'The runs to start now; empty after a while.') },
      refuses: [401],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', poll),
    async (c) => {
      const jobs = await pollJobs(c.get('context'), c.req.raw, c.req.valid('json'))
      return c.json({ jobs })
    },
  )
  .put(
    '/runner/v1/jobs/:jobId/accept',
    policy(speaking('Accept a run', BEAT)),
    valid('param', heldPath),
    async (c) => c.json(await accept(c.get('ports'), await holderIn(c))),
  )
  .put(
    '/runner/v1/jobs/:jobId/start',
    policy(speaking('Report that the script starts', BEAT)),
    valid('param', heldPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', started),
    async (c) => c.json(await start(c.get('ports'), await holderIn(c), c.req.valid('json'))),
  )
  .put(
    '/runner/v1/jobs/:jobId/finish',
    policy(speaking('Report how an attempt ended', { 204: noContent })),
    valid('param', heldPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', finished),
    async (c) => {
      await finish(c.get('ports'), await holderIn(c), c.req.valid('json'))
      return c.body(null, 204)
    },
  )
  .post(
    '/runner/v1/jobs/:jobId/heartbeat',
    policy(speaking('Renew the lease of a run', BEAT)),
    valid('param', heldPath),
    async (c) => c.json(await keepHold(c.get('ports'), await holderIn(c))),
  )
  .post(
    '/runner/v1/jobs/:jobId/logs',
    policy(speaking('Append a part of the log', BEAT)),
    valid('param', heldPath),
    jsonBody(LOG_CHUNK_MAX_BYTES),
    valid('json', logChunk),
    async (c) => c.json(await takeLog(c.get('ports'), await holderIn(c), c.req.valid('json'))),
  )
  .post(
    '/runner/v1/jobs/:jobId/progress',
    policy(speaking('Report the progress of the script', BEAT)),
    valid('param', heldPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', progress),
    async (c) => c.json(await takeProgress(c.get('ports'), await holderIn(c), c.req.valid('json'))),
  )
  .put(
    '/runner/v1/jobs/:jobId/outputs/:name',
    policy({
      ...speaking('Upload a file that the script produced', { 204: noContent }, [413, 422, 503]),
      takes: { media: { '*/*': 'bytes' }, encodings: ['identity'] },
    }),
    valid('param', namePath),
    async (c) => {
      const chunks = bodyChunks(c.req.raw, OUTPUT_MAX_BYTES)
      await takeOutput(c.get('ports'), await holderIn(c), { named: c.req.valid('param').name, chunks })
      return c.body(null, 204)
    },
  )
  .get(
    '/runner/v1/jobs/:jobId/files/:path{.+}',
    policy(speaking('Download a file of the script', BYTES, [404, 416])),
    valid('param', treePath),
    (c) => sendFile(c, { kind: 'tree', name: c.req.valid('param').path }),
  )
  .get(
    '/runner/v1/jobs/:jobId/uploads/:name',
    policy(speaking('Download a file that was sent with the run', BYTES, [404, 416])),
    valid('param', namePath),
    (c) => sendFile(c, { kind: 'upload', name: c.req.valid('param').name }),
  )

type HeldCall = Call<Env, string, { out: { param: { jobId: string } } }>

function holderIn(c: HeldCall): Promise<Holder> {
  return holderOf(c.get('context'), c.req.raw, c.req.valid('param').jobId)
}

async function sendFile(
  c: HeldCall,
  wanted: { readonly kind: 'tree' | 'upload'; readonly name: string },
): Promise<Response> {
  const ports = c.get('ports')
  const holder = await holderIn(c)
  await keepHold(ports, holder)
  const { file, open } = await openFile(ports, { runId: holder.id, ...wanted })
  const stored = { etag: `"${file.sha256}"`, sizeBytes: file.sizeBytes, open }
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'private, no-cache' }
  return answerStored(c.req.raw, stored, { headers, requestId: c.get('requestId') })
}
