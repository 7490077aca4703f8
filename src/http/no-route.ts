import type { Context } from 'hono'
import { Refusal } from '../lib/errors.ts'
import type { Env, Route } from './policy.ts'

/** The answer where no route fits: 405 with `Allow` when the path is known under other methods, else 404. */
export function noRoute(
  c: Context<Env>,
  routes: readonly Route[],
): [Refusal, string, Record<string, string>] {
  const requestId = c.get('requestId')
  const methods = routes.filter(({ path }) => patternOf(path).test(c.req.path)).map(({ method }) => method)
  if (methods.length === 0)
    return [new Refusal('not_found', 'There is no route at this path. See GET /openapi.json.'), requestId, {}]
  if (methods.includes('GET')) methods.push('HEAD')
  const allow = [...new Set(methods)].sort().join(', ')
  return [new Refusal('method_not_allowed', `This path supports the methods ${allow}.`), requestId, { allow }]
}

/** Routes come from our own source, and so do these patterns: parameters with or without an expression in braces. */
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
