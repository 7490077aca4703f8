import { expect, test } from 'bun:test'

import * as z from 'zod'

import { validationOf } from '../../src/http/valid.ts'
import { routeApps } from './route-apps.ts'

/** Texts that are compared, looked up or left out, and never stored. */
const NOT_KEPT = [
  / (?:type|cursor|path|sessionId|refreshToken|currentPassword|cron|timeZone)$/,
  /^POST \/session\/(?:login |setup token)/,
  /^POST \/scripts\/codeGenerator /,
  / \/settings.json release /,
  // A merge patch: what it makes of the object is checked as the body of PUT.
  /^PATCH .* key$/,
  /^PUT \S+\/annotations key$/,
  /^(?:POST|PUT) \/users(?:\/:id)? name$/,
  /^POST \/runner\/v1\/poll /,
  /^PUT \/alarmrecipients\/:id target$/,
]
const UNSTORABLE = ['a\0b', 'a\uD800b']

type Leaf = { readonly path: string; readonly schema: z.ZodType }

/** The schemas in a schema that take texts of any kind. */
function leavesOf(schema: z.ZodType, path: string, seen: ReadonlySet<z.ZodType> = new Set()): Leaf[] {
  if (seen.has(schema)) return []
  const inner = new Set([...seen, schema])
  const under = (child: unknown, name: string) =>
    child instanceof z.ZodType ? leavesOf(child, `${path}${name}`, inner) : []
  if (schema instanceof z.ZodString) return [{ path, schema }]
  if (schema instanceof z.ZodObject)
    return [
      ...Object.entries(schema.shape).flatMap(([key, child]) => under(child, ` ${key}`)),
      ...under(schema.def.catchall, ' *'),
    ]
  if (schema instanceof z.ZodArray) return under(schema.element, '[]')
  if (schema instanceof z.ZodRecord)
    return [...under(schema.keyType, ' key'), ...under(schema.valueType, ' *')]
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => under(one, ''))
  if (schema instanceof z.ZodTuple) return schema.def.items.flatMap((one) => under(one, '[]'))
  if (schema instanceof z.ZodPipe) return under(schema.in, '')
  if (schema instanceof z.ZodLazy) return under(schema.unwrap(), '')
  return 'innerType' in schema.def ? under(schema.def.innerType, '') : []
}

test('every text of every body that is kept is Unicode without NUL', async () => {
  const apps = await routeApps()
  const leaves = apps.flatMap(({ routes }) =>
    routes.flatMap(({ method, path, handler }) => {
      const validation = validationOf(handler)
      return validation?.target === 'json' ? leavesOf(validation.schema, `${method} ${path}`) : []
    }),
  )
  expect(leaves.length).toBeGreaterThan(150)
  const keeps = ({ schema }: Leaf) =>
    UNSTORABLE.some((text) => {
      const { success, data } = schema.safeParse(text)
      return success && data === text
    })
  const kept = leaves.filter((leaf) => keeps(leaf) && !NOT_KEPT.some((one) => one.test(leaf.path)))
  expect([...new Set(kept.map(({ path }) => path))]).toEqual([])
})
