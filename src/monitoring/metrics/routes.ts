import { Hono } from 'hono'
import type { Context } from '../../context.ts'
import { ok } from '../../http/openapi-answers.ts'
import { gunzip, readBody } from '../../http/bytes.ts'
import type { ByteBounds } from '../../http/bytes.ts'
import { encodingOf, refuseCharset } from '../../http/encoding.ts'
import { whileHeld } from '../../http/body-budget.ts'
import { policy } from '../../http/policy.ts'
import type { Answer, Env } from '../../http/policy.ts'
import { SENDERS } from '../../http/roles.ts'
import { Refusal } from '../../lib/errors.ts'
import { partialSuccess, statusMessage } from './otlp-answer.ts'
import { readOtlpJson } from './otlp-json.ts'
import { readOtlpProtobuf } from './otlp-protobuf.ts'
import type { Point } from './points.ts'
import { readRemoteWrite } from './remote-write.ts'
import { exportRequest, exportResponse, rpcStatus } from './schema.ts'
import { takePoints } from './service.ts'
import { unsnappy } from './snappy.ts'
import type { Tally } from './tally.ts'

const BOUNDS: ByteBounds = { sentMaxBytes: 2 * 1024 * 1024, inflatedMaxBytes: 4 * 1024 * 1024 }
const PROTOBUF = 'application/x-protobuf'
const JSON_MEDIA = 'application/json'

const status: Answer = {
  ...ok(rpcStatus, 'Rejected: a google.rpc.Status in the encoding of the request.'),
  alsoMedia: [PROTOBUF],
}

export const metricsRoutes = new Hono<Env>()
  .post(
    '/otlp/v1/metrics',
    policy({
      summary: 'Deliver OpenTelemetry metrics (OTLP/HTTP) to the webhook jobs that the data points name',
      roles: SENDERS,
      isDelivery: true,
      object: 'execute',
      takes: { media: { [PROTOBUF]: 'bytes', [JSON_MEDIA]: exportRequest }, encodings: ['identity', 'gzip'] },
      answers: {
        200: {
          ...ok(exportResponse, 'All data points that are not counted as rejected are on stable storage.'),
          alsoMedia: [PROTOBUF],
        },
        ...Object.fromEntries([400, 401, 403, 413, 415, 422, 429, 500, 503].map((code) => [code, status])),
      },
      refusal: ({ detail }, request) =>
        isJson(request)
          ? { media: JSON_MEDIA, body: JSON.stringify({ message: detail }) }
          : { media: PROTOBUF, body: statusMessage(detail) },
    }),
    async (c) => {
      const request = c.req.raw
      const media = mediaOf(request)
      if (media !== PROTOBUF && media !== JSON_MEDIA)
        throw new Refusal('unsupported_media_type', `Send the body as ${PROTOBUF} or ${JSON_MEDIA}.`)
      refuseCharset(request.headers.get('content-type') ?? '')
      const { rejected, message: errorMessage } = await take(c.get('context'), request, {
        read: () => readOtlpBody(request),
        pointsOf: media === PROTOBUF ? readOtlpProtobuf : readOtlpJson,
      })
      if (media === PROTOBUF)
        return c.body(partialSuccess(rejected, errorMessage), 200, { 'content-type': PROTOBUF })
      const partial = { partialSuccess: { rejectedDataPoints: String(rejected), errorMessage } }
      return c.json(errorMessage === '' ? {} : partial)
    },
  )
  .post(
    '/api/v1/write',
    policy({
      summary: 'Deliver Prometheus samples (remote write 1.0) to the webhook jobs that the samples name',
      roles: SENDERS,
      isDelivery: true,
      object: 'execute',
      takes: { media: { [PROTOBUF]: 'bytes' }, encodings: ['snappy'] },
      answers: {
        204: {
          description: 'All samples that have a number are on stable storage.',
          headers: ['Tidemark-Samples-Skipped'],
        },
      },
    }),
    async (c) => {
      requireVersion1(c.req.raw)
      const tally = await take(c.get('context'), c.req.raw, {
        read: async () => unsnappy(await readBody(c.req.raw, BOUNDS.sentMaxBytes), BOUNDS.inflatedMaxBytes),
        pointsOf: readRemoteWrite,
      })
      if (tally.rejected > 0)
        throw new Refusal(
          'bad_request',
          tally.message,
          tally.faults((series) => `/timeseries/${series}`),
        )
      return c.body(null, 204, { 'tidemark-samples-skipped': String(tally.skipped) })
    },
  )

type Reading = {
  readonly read: () => Promise<Uint8Array>
  readonly pointsOf: (body: Uint8Array) => readonly Point[]
}

/** Reads and delivers the points of a body. The body counts against the memory budget twice, as it was sent and
 * decompressed. */
function take(context: Context, request: Request, { read, pointsOf }: Reading): Promise<Tally> {
  const sentBytes = Number(request.headers.get('content-length') ?? BOUNDS.sentMaxBytes)
  return whileHeld(Math.min(sentBytes, BOUNDS.sentMaxBytes), async () => {
    const body = await read()
    return whileHeld(body.byteLength, () => takePoints(context, pointsOf(body)))
  })
}

function mediaOf({ headers }: Request): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(request: Request): boolean {
  return mediaOf(request) === JSON_MEDIA
}

async function readOtlpBody(request: Request): Promise<Uint8Array> {
  if (encodingOf(request) === 'identity') return readBody(request, BOUNDS.sentMaxBytes)
  const sent = await readBody(request, BOUNDS.sentMaxBytes)
  // The size is known only after decompression.
  return whileHeld(BOUNDS.inflatedMaxBytes, () => gunzip(sent, BOUNDS))
}

/** A sender of version 2 falls back to version 1 after a 415. */
function requireVersion1(request: Request): void {
  const proto = /;\s*proto="?([\w.]+)"?/i.exec(request.headers.get('content-type') ?? '')?.[1]
  const isVersion1 = mediaOf(request) === PROTOBUF && (proto ?? WRITE_REQUEST_1) === WRITE_REQUEST_1
  if (isVersion1) return
  const wanted = `Send ${PROTOBUF} of remote write 1.0 (${WRITE_REQUEST_1}), with Content-Encoding: snappy.`
  throw new Refusal('unsupported_media_type', wanted)
}

const WRITE_REQUEST_1 = 'prometheus.WriteRequest'
