import type { Context } from '../context.ts'
import type { Ports } from '../ports/index.ts'
import { ID } from './answers.ts'
import { requestIdOf, surround } from './frame.ts'
import { admit } from './policy.ts'
import type { Policy } from './policy.ts'
import { failureResponse } from './problem.ts'

/** A route with an id in its path that is called tens of thousands of times a second. It stands in the router as well,
 * which answers every other spelling of its path in the same way. */
export type Direct = {
  readonly method: string
  /** What stands before and after the id. */
  readonly path: readonly [before: string, after: string]
  readonly policy: Policy
  readonly answer: (context: Context, id: number, request: Request) => Promise<Response>
}

/** Answers the requests to a route without the router, in the same frame; null for every other request. */
export function direct(ports: Ports, route: Direct): (request: Request) => Promise<Response> | null {
  const before = `${ports.settings.basePath}${route.path[0]}`
  const after = route.path[1]
  return (request) => {
    const { url } = request
    const path = url.indexOf('/', 'https://'.length)
    const isHere = request.method === route.method && url.startsWith(before, path) && url.endsWith(after)
    const id = isHere ? url.slice(path + before.length, -after.length) : ''
    return ID.test(id) ? answer(ports, route, Number(id), request) : null
  }
}

async function answer(ports: Ports, route: Direct, id: number, request: Request): Promise<Response> {
  const requestId = requestIdOf(request)
  let response: Response
  try {
    const context = await admit(route.policy, request, { ports, requestId })
    response = await route.answer(context, id, request)
  } catch (error) {
    const about = { requestId, method: route.method, route: route.path.join(':id') }
    response = failureResponse(error, ports, about)
  }
  surround(response.headers, request, { ports, requestId })
  return response
}
