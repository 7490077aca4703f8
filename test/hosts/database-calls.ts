import { Refusal } from '../../src/lib/errors.ts'
import type { Databases } from '../../src/ports/databases.ts'

/** A call of the port: the method, its arguments before the signal, and when the caller leaves. */
export type DatabaseCall = {
  readonly method: keyof Databases
  readonly args: readonly unknown[]
  readonly abortAfterMs: number | null
  /** How many batches of rows are read; null for all. */
  readonly batchesMax: number | null
}

/** The result of a call as data: rows are read, refusals are named. */
export async function answerCall(databases: Databases, call: DatabaseCall): Promise<unknown> {
  const { method, args, abortAfterMs, batchesMax } = call
  const controller = new AbortController()
  if (abortAfterMs !== null)
    setTimeout(() => controller.abort(new Refusal('conflict', 'The caller has left.')), abortAfterMs)
  try {
    const ask = databases[method] as (...all: readonly unknown[]) => Promise<unknown>
    const result = await ask(...args, controller.signal)
    return { result: method === 'query' ? await readAll(result as never, batchesMax) : result }
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, detail: error.detail }
    return { code: 'internal', detail: String((error as Error).stack) }
  }
}

async function readAll(
  { columns, rows }: Awaited<ReturnType<Databases['query']>>,
  batchesMax: number | null,
): Promise<unknown> {
  const all: unknown[] = []
  let batches = 0
  const reader = rows.getReader()
  for (;;) {
    if (batches++ === batchesMax) {
      await reader.cancel()
      break
    }
    const { done, value } = await reader.read()
    if (done) break
    all.push(...value)
  }
  return { columns, rows: all }
}
