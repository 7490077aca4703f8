import type { Context } from 'hono'
import { Refusal } from '../lib/errors.ts'
import type { Env, Route } from './policy.ts'
import { problemResponse } from './problem.ts'

/** The answer where no route fits: 405 with `Allow` when the path is known under other methods, else 404. */
export function noRouteResponse(c: Context<Env>, routes: readonly Route[]): Response {
  const requestId = c.get('requestId')
  const methods = routes.filter(({ path }) => patternOf(path).test(c.req.path)).map(({ method }) => method)
  if (methods.length === 0)
    return problemResponse(
      new Refusal('not_found', 'There is no route at this path. See GET /openapi.json.'),
      requestId,
    )
  if (methods.includes('GET')) methods.push('HEAD')
  const allow = [...new Set(methods)].sort().join(', ')
  const refusal = new Refusal('method_not_allowed', `This path supports the methods ${allow}.`)
  return problemResponse(refusal, requestId, { allow })
}

/** The pattern of the paths of a route, whose parameters have an expression in braces or none. */
function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map(
      (segment) =>
        /^:\w+(?:\{(.*)\})?$/.exec(segment)?.[1] ??
        (segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')),
    )
    .map((segment) => `(?:${segment})`)
  return new RegExp(`^${source.join('/')}$`)
}
