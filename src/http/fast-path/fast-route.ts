import type * as z from 'zod'
import type { Context } from '../../context.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { stopwatch } from '../../ports/clock.ts'
import { ID } from '../openapi-answers.ts'
import { requestIdOf, addHeaders } from '../response-headers.ts'
import { idempotencyKeyOf } from '../idempotency.ts'
import { admit } from '../policy.ts'
import type { Policy, Surroundings } from '../policy.ts'
import { failureResponse } from '../problem.ts'
import { requestFiguresOf } from '../request-figures.ts'
import type { RequestFigures, RequestKind } from '../request-figures.ts'
import { noteRoute } from '../tracing.ts'
import { takeJson } from '../valid.ts'
import type { Quick } from '../valid.ts'
import { jsonResponse } from './json-answer.ts'
import type { JsonAnswer } from './json-answer.ts'

/** A route that is called tens of thousands of times a second. The router has the same route, and answers every other
 * spelling of its path alike. */
export type FastRoute<Body, Done> = {
  readonly method: string
  /** With `:id` where one stands, or without; the id is then 0. */
  readonly path: string
  readonly policy: Policy
  /** Under which its requests are counted. */
  readonly kind: RequestKind
  readonly takes: Quick<z.ZodType<Body>>
  readonly handle: (context: Context, id: number, sent: KeyedBody<Body>) => MaybePromise<Done>
  /** Separate, because one more promise would cost more than its work. */
  readonly show: (done: Done, context: Context, id: number) => JsonAnswer
}

/** The request: its body, and the `Idempotency-Key` or null. */
type KeyedBody<Body> = { readonly body: Body; readonly key: string | null }

type Application = Omit<Surroundings, 'requestId'>

/** Answers the requests to a route without the router, with the same checks and header fields; null for other requests. */
export function fastRoute<Body, Done>(
  application: Application,
  route: FastRoute<Body, Done>,
): (request: Request) => Promise<Response> | null {
  const [before = '', after] = `${application.ports.settings.basePath}${route.path}`.split(':id')
  const surroundings = { ...application, figures: requestFiguresOf(application.ports) }
  return (request) => {
    const { url } = request
    const from = url.indexOf('/', 'https://'.length)
    if (request.method !== route.method || !url.startsWith(before, from)) return null
    if (after === undefined)
      return url.length === from + before.length ? answer(surroundings, route, request, 0) : null
    if (!url.endsWith(after)) return null
    const id = url.slice(from + before.length, -after.length)
    return ID.test(id) ? answer(surroundings, route, request, Number(id)) : null
  }
}

async function answer<Body, Done>(
  { ports, authenticators, figures }: Application & { readonly figures: RequestFigures },
  route: FastRoute<Body, Done>,
  request: Request,
  id: number,
): Promise<Response> {
  const requestId = requestIdOf(request)
  const elapsedMs = stopwatch(ports.clock)
  if (ports.traces) noteRoute(request, route.path)
  const answered = (response: Response) => {
    figures.record(route.kind, response.status, elapsedMs())
    return response
  }
  let caller: Context['caller'] | undefined
  let input: Promise<unknown> | null = null
  try {
    const admitted = admit(route.policy, request, { ports, authenticators, requestId })
    const context = admitted instanceof Promise ? await admitted : admitted
    caller = context.caller
    const taken = takeJson(request, route.takes)
    const { release } = taken
    input = taken.input
    try {
      const sent = { body: await taken.body, key: idempotencyKeyOf(request) }
      const done = await route.handle(context, id, sent)
      return answered(jsonResponse(route.show(done, context, id), request, context))
    } finally {
      release()
    }
  } catch (error) {
    await route.policy.failed?.({ ports, request, error, caller, input })
    const { isDelivery } = route.policy
    const about = { requestId, method: route.method, route: route.path, isDelivery }
    const response = failureResponse(error, ports, about)
    addHeaders(response.headers, request, { ports, requestId })
    return answered(response)
  }
}
