import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import type * as z from 'zod'
import type { Context } from '../context.ts'
import { stale } from '../lib/errors.ts'
import { changeWithRetry, demandedVersion, entityTag } from './preconditions.ts'
import { JSON_ENCODINGS } from './encoding.ts'
import { MERGE_PATCH, mergePatch, patched } from './merge-patch.ts'
import type { Unset } from './merge-patch.ts'
import { policy } from './policy.ts'
import type { Env, Policy } from './policy.ts'
import { jsonBody, valid } from './valid.ts'

/** The answer of a read or a change: the object and its version. */
export type VersionedView = { readonly view: Readonly<Record<string, unknown>>; readonly version: number }

/** A body, and the version that the object has to be at; null for any. */
export type BodyWithVersion<Body> = { readonly body: Body; readonly ifMatch: number | null }

/** How an object is replaced and patched. */
export type Replaceable<Place extends z.ZodType, Body extends z.ZodType> = {
  readonly path: string
  readonly place: Place
  readonly body: Body
  readonly sizeMaxBytes: number
  /** The summary of PUT. */
  readonly summary: string
  /** The object in the summary of PATCH, such as `a group`. */
  readonly noun: string
  readonly policy: Omit<Policy, 'summary' | 'takes'>
  readonly unset?: Unset
  /** Whether a body of PUT names the version that it replaces: then a stale one is not tried again. */
  readonly namesVersion?: boolean
  /** The object as PATCH begins with it. */
  readonly read: (context: Context, place: z.output<Place>) => Promise<VersionedView>
  readonly write: (
    context: Context,
    place: z.output<Place>,
    change: BodyWithVersion<z.output<Body>>,
  ) => Promise<VersionedView>
}

/** The routes PUT and PATCH of an object that has versions. Both honour `If-Match` and answer the new `ETag`. */
export function replacing<Place extends z.ZodType, Body extends z.ZodType>(
  object: Replaceable<Place, Body>,
): Hono<Env> {
  const { body, read, write, unset, namesVersion = false } = object
  const answer = async (
    c: HonoContext<Env>,
    change: (wanted: number | null) => Promise<VersionedView>,
    isTriedAgain = true,
  ) => {
    const wanted = demandedVersion(c.get('context'))
    const { view, version } = await (isTriedAgain
      ? changeWithRetry(wanted, () => change(wanted))
      : change(wanted))
    return c.json(view, 200, { etag: entityTag(version) })
  }
  return bothRoutes(object, {
    put: (c, place, sent) =>
      answer(c, (wanted) => write(c.get('context'), place, { body: sent, ifMatch: wanted }), !namesVersion),
    patch: (c, place, patch) =>
      answer(c, async (wanted) => {
        const was = await read(c.get('context'), place)
        if (wanted !== null && wanted !== was.version) throw stale('object')
        const whole = patched(body, { shown: was.view, patch, ...(unset && { unset }) })
        return write(c.get('context'), place, { body: whole, ifMatch: was.version })
      }),
  })
}

/** Answers a change whose parts were checked. */
type Answer<Place, Body> = (c: HonoContext<Env>, place: Place, body: Body) => Promise<Response>

function bothRoutes<Place extends z.ZodType, Body extends z.ZodType>(
  object: Omit<Replaceable<Place, Body>, 'read' | 'write' | 'unset'>,
  answers: {
    readonly put: Answer<z.output<Place>, z.output<Body>>
    readonly patch: Answer<z.output<Place>, z.output<typeof mergePatch>>
  },
): Hono<Env> {
  const { path, place, body, sizeMaxBytes } = object
  return new Hono<Env>()
    .put(
      path,
      policy({ ...object.policy, summary: object.summary }),
      valid('param', place),
      jsonBody(sizeMaxBytes),
      valid('json', body),
      (c) => answers.put(c, c.req.valid('param'), c.req.valid('json')),
    )
    .patch(
      path,
      policy({ ...object.policy, ...patching(object.noun) }),
      valid('param', place),
      jsonBody(sizeMaxBytes, MERGE_PATCH),
      valid('json', mergePatch),
      (c) => answers.patch(c, c.req.valid('param'), c.req.valid('json')),
    )
}

/** The part of a PATCH's policy that describes its body. */
export function patching(noun: string): Pick<Policy, 'summary' | 'takes'> {
  return {
    summary: `Change some fields of ${noun}`,
    takes: {
      media: { [MERGE_PATCH]: mergePatch, 'application/json': mergePatch },
      encodings: JSON_ENCODINGS,
    },
  }
}
