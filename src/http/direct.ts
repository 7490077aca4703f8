import type * as z from 'zod'
import type { Context } from '../context.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Ports } from '../ports/index.ts'
import { ID } from './openapi-answers.ts'
import { requestIdOf, addHeaders, jsonResponse } from './response-headers.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { admit } from './policy.ts'
import type { Policy } from './policy.ts'
import { failureResponse } from './problem.ts'
import { takeJson } from './valid.ts'
import type { Quick } from './valid.ts'

/** A route that is called tens of thousands of times a second. It stands in the router as well, which answers every other
 * spelling of its path in the same way. */
export type Direct<Body, Done> = {
  readonly method: string
  /** With `:id` where one stands, or without; the id is then 0. */
  readonly path: string
  readonly policy: Policy
  readonly takes: Quick<z.ZodType<Body>>
  readonly handle: (context: Context, id: number, sent: KeyedBody<Body>) => MaybePromise<Done>
  /** Apart, because one more promise for it would cost more than what it does. */
  readonly show: (done: Done, context: Context, id: number) => DirectAnswer
}

/** What came: the body, and the `Idempotency-Key` or null. */
type KeyedBody<Body> = { readonly body: Body; readonly key: string | null }

/** A good answer: JSON text, and the header fields of its own. */
export type DirectAnswer = { readonly json: string; readonly headers?: Readonly<Record<string, string>> }

/** Answers the requests to a route without the router, in the same frame; null for every other request. */
export function direct<Body, Done>(
  ports: Ports,
  route: Direct<Body, Done>,
): (request: Request) => Promise<Response> | null {
  const [before = '', after] = `${ports.settings.basePath}${route.path}`.split(':id')
  return (request) => {
    const { url } = request
    const from = url.indexOf('/', 'https://'.length)
    if (request.method !== route.method || !url.startsWith(before, from)) return null
    if (after === undefined)
      return url.length === from + before.length ? answer(ports, route, request, 0) : null
    if (!url.endsWith(after)) return null
    const id = url.slice(from + before.length, -after.length)
    return ID.test(id) ? answer(ports, route, request, Number(id)) : null
  }
}

async function answer<Body, Done>(
  ports: Ports,
  route: Direct<Body, Done>,
  request: Request,
  id: number,
): Promise<Response> {
  const requestId = requestIdOf(request)
  try {
    const admitted = admit(route.policy, request, { ports, requestId })
    const context = admitted instanceof Promise ? await admitted : admitted
    const { body, release } = takeJson(request, route.takes)
    try {
      const sent = { body: await body, key: idempotencyKeyOf(request) }
      const done = await route.handle(context, id, sent)
      const { json, headers = {} } = route.show(done, context, id)
      const response = jsonResponse(json, request, context)
      for (const name in headers) response.headers.set(name, headers[name] ?? '')
      return response
    } finally {
      release()
    }
  } catch (error) {
    const { isDelivery } = route.policy
    const about = { requestId, method: route.method, route: route.path, isDelivery }
    const response = failureResponse(error, ports, about)
    addHeaders(response.headers, request, { ports, requestId })
    return response
  }
}
