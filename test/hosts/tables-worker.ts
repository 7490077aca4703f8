import type { R2Bucket } from '@cloudflare/workers-types'

import { Refusal } from '../../src/lib/errors.ts'
import type { QueryLimits } from '../../src/ports/databases.ts'
import type { LoadOrder, TableQuery, Tables } from '../../src/ports/tables.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { openBlobsR2 } from '../../workers/edge/blobs-r2.ts'
import type { Environment } from '../../workers/edge/environment.ts'
import { tablesInObjects } from '../../workers/edge/tables.ts'
import { TablesObject } from '../../workers/edge/tables-object.ts'
import { answerBlobs } from './storage-worker.ts'

/** An object that ends at a word of the test, and tells what lies in its storage and how long its alarms ran. */
export class MortalTables extends TablesObject {
  protected override readonly leftAfterMs = 1_500
  readonly #alarms: number[] = []

  override async alarm(): Promise<void> {
    const begunAt = Date.now()
    await super.alarm()
    this.#alarms.push(Date.now() - begunAt)
  }

  /** How many rows lie in its storage. */
  stored(): number {
    let rows = 0
    for (const name of this.names())
      rows += this.ctx.storage.sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`).one().rows
    return rows
  }

  /** The milliseconds of each alarm. */
  alarms(): readonly number[] {
    return this.#alarms
  }

  die(): void {
    this.ctx.abort()
  }

  names(): readonly string[] {
    const found = this.ctx.storage.sql.exec<{ name: string }>('SELECT name FROM sqlite_schema ORDER BY name')
    return [...found].map(({ name }) => name).filter((name) => !name.startsWith('_cf_'))
  }
}

/** A call of the port, but for its signal and its progress. */
export type TablesCall = {
  readonly method: keyof Tables | 'loadAndLeave' | 'queryAndLeave' | 'die' | 'names' | 'stored' | 'alarms'
  readonly args: readonly unknown[]
}

/** A line of an answer. */
export type TablesLine =
  | { readonly share: number }
  | { readonly result: unknown }
  | { readonly rows: readonly unknown[] }
  | { readonly failure: Pick<Refusal, 'code' | 'detail' | 'errors'> }

type Bindings = { readonly FILES: R2Bucket; readonly TABLES: Environment['TABLES'] }

// Runs in workerd: the port over HTTP, one line of JSON for each thing that it tells.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const log = jsonLog(() => undefined)
    const blobs = openBlobsR2(bindings.FILES, log)
    if (pathname !== '/tables')
      return answerBlobs(blobs, pathname, { key: searchParams.get('key') ?? '', span: undefined, request })
    const call = (await request.json()) as TablesCall
    const tables = tablesInObjects({ namespace: bindings.TABLES, blobs, log })
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    const tell = (line: TablesLine) => writer.write(encoder.encode(`${JSON.stringify(line)}\n`))
    void answer(call, { tables, namespace: bindings.TABLES, tell })
      .catch((error: unknown) => tell({ failure: failureOf(error) }))
      .then(() => writer.close())
      .catch(() => undefined)
    return new Response(readable)
  },
}

type Told = {
  readonly tables: Tables
  readonly namespace: Environment['TABLES']
  readonly tell: (line: TablesLine) => Promise<void>
}

async function answer({ method, args }: TablesCall, { tables, namespace, tell }: Told): Promise<void> {
  const { signal } = new AbortController()
  if (method === 'die' || method === 'names' || method === 'stored' || method === 'alarms') {
    const object = namespace.get(namespace.idFromName(String(args[0]))) as unknown as {
      [Method in typeof method]: () => Promise<unknown>
    }
    await tell({ result: await object[method]() })
    return
  }
  if (method === 'loadAndLeave') {
    const caller = new AbortController()
    await tables.load(args[0] as LoadOrder, caller.signal, (share) => {
      if (share > 0) caller.abort(new Refusal('conflict', 'The caller left.'))
    })
    return
  }
  if (method === 'queryAndLeave') {
    const [query, limits] = args as readonly [TableQuery, QueryLimits]
    const { rows } = await tables.query(query, limits, signal)
    const reader = rows.getReader()
    await reader.read()
    await reader.cancel()
    return tell({ result: null })
  }
  const progress = (share: number) => void tell({ share })
  const ask = tables[method] as (...all: readonly unknown[]) => Promise<unknown>
  const result = await ask.call(tables, ...args, signal, progress)
  if (result instanceof ReadableStream)
    return tellRows([], result as ReadableStream<readonly unknown[]>, tell)
  if (method !== 'query') return tell({ result: result ?? null })
  const { columns, rows } = result as Awaited<ReturnType<Tables['query']>>
  return tellRows(columns, rows, tell)
}

async function tellRows(
  columns: readonly unknown[],
  rows: ReadableStream<readonly unknown[]>,
  tell: Told['tell'],
): Promise<void> {
  await tell({ result: columns })
  const reader = rows.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    try {
      await tell({ rows: value })
    } catch {
      // The reader of the answer has left.
      return reader.cancel()
    }
  }
}

function failureOf(error: unknown): Pick<Refusal, 'code' | 'detail' | 'errors'> {
  if (error instanceof Refusal) return { code: error.code, detail: error.detail, errors: error.errors }
  return { code: 'internal', detail: String((error as Error).stack), errors: [] }
}
