import { Hono } from 'hono'
import type * as z from 'zod'
import type { Context } from '../context.ts'
import { changedMeanwhile, entityTag, ifMatch, retried } from './conditions.ts'
import { JSON_ENCODINGS } from './encoding.ts'
import { MERGE_PATCH, mergePatch, patched } from './merging.ts'
import type { Unset } from './merging.ts'
import { policy } from './policy.ts'
import type { Env, Policy } from './policy.ts'
import { jsonBody, valid } from './valid.ts'

/** What a read or a change answers: the object, and its version where it has one. */
type Shown = { readonly view: Readonly<Record<string, unknown>>; readonly version: number }

/** A body, and the version that the object has to be at; null for any. */
export type Change<Body> = { readonly body: Body; readonly ifMatch: number | null }

/** How an object is replaced and patched. */
export type Replaceable<Place extends z.ZodType, Body extends z.ZodType> = {
  readonly path: string
  readonly place: Place
  readonly body: Body
  readonly sizeMaxBytes: number
  /** What PUT does, for its summary. */
  readonly summary: string
  /** What is replaced, for the summary of PATCH: `a group`. */
  readonly noun: string
  readonly policy: Omit<Policy, 'summary' | 'takes'>
  readonly unset?: Unset
  /** The object as PATCH begins with it. */
  readonly read: (context: Context, place: z.output<Place>) => Promise<Shown>
  readonly write: (context: Context, place: z.output<Place>, change: Change<z.output<Body>>) => Promise<Shown>
}

/** The routes PUT and PATCH of an object that has versions. Both honour `If-Match` and answer the new `ETag`. */
export function replacing<Place extends z.ZodType, Body extends z.ZodType>(
  object: Replaceable<Place, Body>,
): Hono<Env> {
  const { path, place, body, sizeMaxBytes, read, write, unset } = object
  return new Hono<Env>()
    .put(
      path,
      policy({ ...object.policy, summary: object.summary }),
      valid('param', place),
      jsonBody(sizeMaxBytes),
      valid('json', body),
      async (c) => {
        const change = { body: c.req.valid('json'), ifMatch: ifMatch(c) }
        const { view, version } = await retried(change.ifMatch, () =>
          write(c.get('context'), c.req.valid('param'), change),
        )
        return c.json(view, 200, { etag: entityTag(version) })
      },
    )
    .patch(
      path,
      policy({ ...object.policy, ...patching(object.noun) }),
      valid('param', place),
      jsonBody(sizeMaxBytes, MERGE_PATCH),
      valid('json', mergePatch),
      async (c) => {
        const [context, at, patch, wanted] = [
          c.get('context'),
          c.req.valid('param'),
          c.req.valid('json'),
          ifMatch(c),
        ]
        const { view, version } = await retried(wanted, async () => {
          const was = await read(context, at)
          if (wanted !== null && wanted !== was.version) throw changedMeanwhile()
          const whole = patched(body, { shown: was.view, patch, ...(unset && { unset }) })
          return write(context, at, { body: whole, ifMatch: was.version })
        })
        return c.json(view, 200, { etag: entityTag(version) })
      },
    )
}

/** How an object without versions is replaced and patched: `write` shows it to `bodyOf` in the commit that changes it. */
type Unversioned<Place extends z.ZodType, Body extends z.ZodType, View> = Omit<
  Replaceable<Place, Body>,
  'read' | 'write' | 'unset'
> & {
  readonly write: (
    context: Context,
    place: z.output<Place>,
    bodyOf: (shown: View) => z.output<Body>,
  ) => Promise<View>
}

/** The routes PUT and PATCH of an object that has no versions. */
export function replacingUnversioned<
  Place extends z.ZodType,
  Body extends z.ZodType,
  View extends Readonly<Record<string, unknown>>,
>(object: Unversioned<Place, Body, View>): Hono<Env> {
  const { path, place, body, sizeMaxBytes, write } = object
  return new Hono<Env>()
    .put(
      path,
      policy({ ...object.policy, summary: object.summary }),
      valid('param', place),
      jsonBody(sizeMaxBytes),
      valid('json', body),
      async (c) => {
        const sent = c.req.valid('json')
        return c.json(await write(c.get('context'), c.req.valid('param'), () => sent))
      },
    )
    .patch(
      path,
      policy({ ...object.policy, ...patching(object.noun) }),
      valid('param', place),
      jsonBody(sizeMaxBytes, MERGE_PATCH),
      valid('json', mergePatch),
      async (c) => {
        const patch = c.req.valid('json')
        const bodyOf = (shown: View) => patched(body, { shown, patch })
        return c.json(await write(c.get('context'), c.req.valid('param'), bodyOf))
      },
    )
}

/** What the policy of a PATCH says of its body. */
export function patching(noun: string): Pick<Policy, 'summary' | 'takes'> {
  return {
    summary: `Change some fields of ${noun}`,
    takes: {
      media: { [MERGE_PATCH]: mergePatch, 'application/json': mergePatch },
      encodings: JSON_ENCODINGS,
    },
  }
}
