import { call, jsonOf, send, urlOf } from './client.ts'
import type { Answer, Call, Route } from './client.ts'
import { Failure } from './failure.ts'

type Operation = Answer<'/operations/{id}'>
/** The first look at an operation, and the time between later ones. */
const FIRST_MS = 300
const NEXT_MS = 1_000

export type Following = {
  /** Ends the work: its operation is cancelled. */
  readonly signal: AbortSignal
  /** Called with the share that is done, from 0 to 1; null while that is unknown. */
  readonly onProgress?: (share: number | null) => void
  /** How long the service may take to answer without an operation. */
  readonly wait?: string
}

/** Sends a request with long work, and follows its operation to the result.
 * @throws {Failure} when the work fails
 * @throws {DOMException} an `AbortError` once the work is cancelled */
export async function follow<R extends Route>(
  route: R,
  request: Call<R, 'post'>,
  { signal, onProgress, wait = 'PT1S' }: Following,
): Promise<Exclude<Answer<R, 'post'>, Operation>> {
  const { query, body } = request as { readonly query?: object; readonly body?: unknown }
  const url = urlOf(route, { ...request, query: { ...query, wait } })
  const headers = { 'content-type': 'application/json' }
  const answer = await send('POST', url, { headers, body: JSON.stringify(body ?? {}), signal })
  const result = await resultOf(answer, { signal, ...(onProgress && { onProgress }) })
  return result as Exclude<Answer<R, 'post'>, Operation>
}

/** Follows the operation of a request that only reads. */
export async function followRead<R extends Route>(
  route: R,
  request: Call<R, 'get'>,
  following: Following,
): Promise<Exclude<Answer<R, 'get'>, Operation>> {
  const { signal, wait = 'PT1S' } = following
  const { query } = request as { readonly query?: object }
  const answer = await send('GET', urlOf(route, { ...request, query: { ...query, wait } }), { signal })
  return (await resultOf(answer, following)) as Exclude<Answer<R, 'get'>, Operation>
}

async function resultOf(answer: Response, following: Following): Promise<unknown> {
  if (answer.status !== 202) return jsonOf(answer)
  const { id } = await ended((await jsonOf(answer)) as Operation, following)
  return jsonOf(await send('GET', urlOf('/operations/{id}/result', { path: { id } })))
}

async function ended(begun: Operation, { signal, onProgress }: Following): Promise<Operation> {
  const path = { id: begun.id }
  let operation = begun
  let isCancelled = false
  for (let waitMs = FIRST_MS; operation.endedAt === null; waitMs = NEXT_MS) {
    onProgress?.(operation.progress)
    await pause(isCancelled ? NEXT_MS : waitMs, isCancelled ? null : signal)
    if (signal.aborted && !isCancelled) {
      isCancelled = true
      await call('delete', '/operations/{id}', { path })
    }
    operation = await call('get', '/operations/{id}', { path })
  }
  if (operation.state === 'succeeded') return operation
  if (operation.state === 'cancelled' || isCancelled)
    throw new DOMException('The work was cancelled.', 'AbortError')
  const { code = 'internal', detail = '', errors = [] } = operation.error ?? {}
  throw new Failure({ status: 422, code, detail, errors })
}

/** Waits, but not longer than until the signal. */
function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    if (signal?.aborted) resolve()
  })
}
