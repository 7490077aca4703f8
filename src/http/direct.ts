import type { Context } from '../context.ts'
import type { Ports } from '../ports/index.ts'
import { ID } from './answers.ts'
import { requestIdOf, STEADY, surround } from './frame.ts'
import { admit } from './policy.ts'
import type { Policy } from './policy.ts'
import { failureResponse } from './problem.ts'

/** A route that is called tens of thousands of times a second. It stands in the router as well, which answers every other
 * spelling of its path in the same way. */
export type Direct<Done> = {
  readonly method: string
  /** With `:id` where one stands, or without. */
  readonly path: string
  readonly policy: Policy
  /** Of a path without an id it is 0. */
  readonly handle: (context: Context, request: Request, id: number) => Promise<Done>
  /** Apart, because one more promise for it would cost more than what it does. */
  readonly show: (done: Done) => DirectAnswer
}

/** A good answer: JSON text, and the header fields of its own. */
export type DirectAnswer = { readonly json: string; readonly headers?: Readonly<Record<string, string>> }

/** Made once: to set each field anew takes as long as everything else about an answer. */
const FIELDS = new Headers({ ...STEADY, 'content-type': 'application/json' })

/** Answers the requests to a route without the router, in the same frame; null for every other request. */
export function direct<Done>(
  ports: Ports,
  route: Direct<Done>,
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

async function answer<Done>(
  ports: Ports,
  route: Direct<Done>,
  request: Request,
  id: number,
): Promise<Response> {
  const requestId = requestIdOf(request)
  try {
    const admitted = admit(route.policy, request, { ports, requestId })
    const context = admitted instanceof Promise ? await admitted : admitted
    const { json, headers = {} } = route.show(await route.handle(context, request, id))
    const response = new Response(json, { headers: FIELDS })
    for (const name in headers) response.headers.set(name, headers[name] ?? '')
    surround(response.headers, request, { ports, requestId, isSteady: true })
    return response
  } catch (error) {
    const about = { requestId, method: route.method, route: route.path }
    const response = failureResponse(error, ports, about)
    surround(response.headers, request, { ports, requestId, isSteady: false })
    return response
  }
}
