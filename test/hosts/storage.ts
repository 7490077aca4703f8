import type { D1Database } from '@cloudflare/workers-types'

import type { Blobs } from '../../src/ports/blobs.ts'
import { startWorker } from './miniflare.ts'
import type { TornPut } from './storage-worker.ts'

/**
 * Cloudflare's storage on this machine, in memory: a D1 database and the blobs of an R2 bucket.
 *
 * They are reached through a worker of our own. Miniflare's bindings for the host forget prepared statements that are
 * collected as garbage before they ran, and cannot pass an object's body to Bun.
 */
export async function startStorage(): Promise<{
  database: D1Database
  blobs: Blobs
  /** Puts a body that breaks off after its first part, while uploads cannot be aborted. */
  putTorn: () => Promise<TornPut>
  close: () => Promise<void>
}> {
  const miniflare = await startWorker('storage-worker.ts', {
    d1Databases: { DB: 'tidemark' },
    r2Buckets: { FILES: 'files' },
  })
  const url = await miniflare.ready
  return {
    // Only what Drizzle calls of it is there.
    database: new RemoteD1(url) as unknown as D1Database,
    blobs: remoteBlobs(url),
    putTorn: async () => (await resultOf(await fetch(new URL('/torn', url)))) as TornPut,
    close: () => miniflare.dispose(),
  }
}

interface Answer {
  result?: unknown
  failure?: { name: string; message: string; cause?: string }
}

async function resultOf(response: Response): Promise<unknown> {
  const { result, failure } = (await response.json()) as Answer
  if (failure === undefined) return result
  if (failure.name === 'RangeError') throw new RangeError(failure.message)
  throw new Error(failure.message, failure.cause === undefined ? {} : { cause: new Error(failure.cause) })
}

class RemoteD1 {
  constructor(readonly url: URL) {}

  prepare(text: string): RemoteStatement {
    return new RemoteStatement(this, text, [])
  }

  batch(statements: readonly RemoteStatement[]): Promise<unknown> {
    return this.call('batch', statements)
  }

  async call(method: string, statements: readonly RemoteStatement[]): Promise<unknown> {
    const body = { method, statements: statements.map(({ text, parameters }) => ({ text, parameters })) }
    const call = { method: 'POST', body: JSON.stringify(body), keepalive: false }
    return resultOf(await fetch(new URL('/d1', this.url), call))
  }
}

class RemoteStatement {
  constructor(
    readonly database: RemoteD1,
    readonly text: string,
    readonly parameters: readonly unknown[],
  ) {}

  bind(...parameters: unknown[]): RemoteStatement {
    return new RemoteStatement(this.database, this.text, parameters)
  }

  run(): Promise<unknown> {
    return this.database.call('run', [this])
  }

  all(): Promise<unknown> {
    return this.database.call('all', [this])
  }

  raw(): Promise<unknown> {
    return this.database.call('raw', [this])
  }
}

/** Blobs behind the routes of `answerBlobs`. */
export function remoteBlobs(url: URL): Blobs {
  const call = (method: string, key: string, body: Uint8Array | ReadableStream<Uint8Array> | null = null) =>
    fetch(new URL(`/blobs/${method}?key=${encodeURIComponent(key)}`, url), {
      method: 'POST',
      keepalive: false,
      body: body instanceof Uint8Array ? new Uint8Array(body) : body,
    })
  return {
    async put(key, body) {
      await resultOf(await call(body instanceof Uint8Array ? 'put' : 'put-stream', key, body))
    },
    async get(key, span) {
      const within = span ? `&offset=${span.offsetBytes}&size=${span.sizeBytes}` : ''
      const response = await fetch(new URL(`/blobs/get?key=${encodeURIComponent(key)}${within}`, url))
      if (response.status === 404) return null
      if (!response.ok || response.body === null) throw await resultOf(response)
      return { body: response.body, sizeBytes: Number(response.headers.get('size-bytes')) }
    },
    async delete(key) {
      await resultOf(await call('delete', key))
    },
    async list(prefix) {
      return (await resultOf(await call('list', prefix))) as string[]
    },
  }
}
