import type { D1Database, D1PreparedStatement, R2Bucket } from '@cloudflare/workers-types'

import type { Blobs, ByteSpan } from '../../src/ports/blobs.ts'
import { openBlobsR2 } from '../../workers/edge/blobs-r2.ts'
import { jsonLog } from '../../workers/json-log.ts'

// Runs in workerd: the storage bindings over HTTP, for `startStorage` on the other side.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request, bindings: { DB: D1Database; FILES: R2Bucket }): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    try {
      if (pathname === '/d1') {
        const statements = (await request.json()) as Statements
        return Response.json({ result: await runStatements(bindings.DB, statements) })
      }
      if (pathname === '/torn') return Response.json({ result: await putTorn(bindings.FILES) })
      const key = searchParams.get('key') ?? ''
      const span = searchParams.has('offset')
        ? { offsetBytes: Number(searchParams.get('offset')), sizeBytes: Number(searchParams.get('size')) }
        : undefined
      const blobs = openBlobsR2(
        inSmallPages(bindings.FILES),
        jsonLog(() => undefined),
      )
      return await answerBlobs(blobs, pathname, { key, span, request })
    } catch (error) {
      return Response.json({ failure: describe(error) }, { status: 500 })
    }
  },
}

// So that a few hundred keys show what a few thousand would.
function inSmallPages(bucket: R2Bucket): R2Bucket {
  const list: R2Bucket['list'] = (options) => bucket.list({ ...options, limit: 50 })
  return new Proxy(bucket, {
    get(target, name): unknown {
      const method: unknown = name === 'list' ? list : Reflect.get(target, name)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

export type TornPut = { readonly failure: string; readonly logs: string }

async function putTorn(bucket: R2Bucket): Promise<TornPut> {
  const withoutAborts = {
    createMultipartUpload: async (key: string) => {
      const upload = await bucket.createMultipartUpload(key)
      return {
        uploadPart: (part: number, bytes: Uint8Array) => upload.uploadPart(part, bytes),
        abort: () => Promise.reject(new Error('The bucket is away.')),
      }
    },
  } as unknown as R2Bucket
  const lines: string[] = []
  const blobs = openBlobsR2(
    withoutAborts,
    jsonLog((line) => lines.push(line)),
  )
  const chunks = [new Uint8Array(8 * 1024 * 1024), new Uint8Array(1)]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.error(new Error('The sender left.'))
    },
  })
  const failure = await blobs.put('torn', body).then(
    () => '',
    (error: unknown) => String(error),
  )
  return { failure, logs: lines.join('\n') }
}

interface Statements {
  method: 'batch' | 'run' | 'all' | 'raw'
  statements: Array<{ text: string; parameters: unknown[] }>
}

async function runStatements(database: D1Database, { method, statements }: Statements): Promise<unknown> {
  const prepared = statements.map(({ text, parameters }) => database.prepare(text).bind(...parameters))
  if (method === 'batch') return database.batch(prepared)
  const [statement] = prepared as [D1PreparedStatement]
  return statement[method]()
}

/** Answers calls of a store of blobs. */
export async function answerBlobs(
  blobs: Blobs,
  pathname: string,
  { key, span, request }: { key: string; span: ByteSpan | undefined; request: Request },
): Promise<Response> {
  switch (pathname) {
    case '/blobs/put':
      await blobs.put(key, await request.bytes())
      return Response.json({})
    case '/blobs/put-stream':
      await blobs.put(key, request.body ?? new Blob([]).stream())
      return Response.json({})
    case '/blobs/get': {
      const found = await blobs.get(key, span)
      if (found === null) return new Response(null, { status: 404 })
      return new Response(found.body, { headers: { 'size-bytes': String(found.sizeBytes) } })
    }
    case '/blobs/delete':
      await blobs.delete(key)
      return Response.json({})
    default:
      return Response.json({ result: await blobs.list(key) })
  }
}

function describe(error: unknown): { name: string; message: string; cause?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, cause } = error
  return cause instanceof Error ? { name, message, cause: cause.message } : { name, message }
}
