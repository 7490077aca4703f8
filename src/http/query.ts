import type { Context } from 'hono'
import { matchedRoutes, routePath } from 'hono/route'
import * as z from 'zod'
import { Refusal } from '../lib/errors.ts'
import { validationOf } from './valid.ts'

/** The parameter with a session id, which every route takes (specification, Authentication 3). */
const SESSION_ID = 'sessionId'

/** Refuses query parameters that the schemas of one route do not name. Called in a handler of that route.
 * @throws {Refusal} invalid with a pointer to each */
export function refusesUnknownParameters(): (c: Context) => void {
  let known: ReadonlySet<string> | null = null
  return (c) => {
    const from = c.req.url.indexOf('?')
    if (from >= 0) refuseOthers(c.req.url.slice(from), (known ??= namesOf(c)))
  }
}

function refuseOthers(query: string, known: ReadonlySet<string>): void {
  const given = new Set(new URLSearchParams(query).keys())
  const faults = [...given]
    .filter((name) => name !== SESSION_ID && !known.has(name))
    .map((name) => ({ pointer: `?${name}`, message: 'is an unknown parameter' }))
  if (faults.length > 0) throw new Refusal('invalid', 'The query is invalid; see errors.', faults)
}

function namesOf(c: Context): ReadonlySet<string> {
  const path = routePath(c)
  const schemas = matchedRoutes(c)
    .filter((route) => route.path === path)
    .flatMap(({ handler }) => validationOf(handler) ?? [])
    .filter(({ target }) => target === 'query')
    .map(({ schema }) => schema)
  return new Set(
    schemas.flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])),
  )
}
