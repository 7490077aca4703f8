import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import type { Context } from '../context.ts'
import type { Unset } from './merge-patch.ts'
import { idPath, noContent, ok } from './openapi-answers.ts'
import { policy } from './policy.ts'
import type { Answer, Env, Policy } from './policy.ts'
import { entityTag } from './preconditions.ts'
import { replacing } from './updates.ts'
import type { BodyWithVersion, VersionedView } from './updates.ts'
import { jsonBody, valid } from './valid.ts'

/** An object that has an id, with its version. */
export type ObjectView = VersionedView & { readonly view: { readonly id: number } }

type Callers = Pick<Policy, 'roles' | 'scope' | 'object'>

/** A kind of object that has an id and a version. A query that is absent has no parameters. */
export type VersionedKind<
  Body extends z.ZodType,
  Creating extends z.ZodType,
  Reading extends z.ZodType,
  Deleting extends z.ZodType,
> = {
  /** The path of the collection, such as `/groups`. */
  readonly path: string
  /** The noun of the object, which follows *a* and *the* in summaries. */
  readonly noun: string
  readonly body: Body
  readonly view: z.ZodType
  readonly sizeMaxBytes: number
  readonly summaries: Readonly<Record<'create' | 'replace' | 'delete', string>>
  /** The callers that may read an object. */
  readonly readers: Callers
  /** The callers that may create, change and delete an object. */
  readonly editors: Callers
  /** The statuses of refusals of POST beside 409. */
  readonly createRefuses?: readonly number[]
  /** The query of POST. */
  readonly createQuery?: Creating
  /** The query of GET. */
  readonly readQuery?: Reading
  /** The query of DELETE. */
  readonly deleteQuery?: Deleting
  readonly unset?: Unset
  readonly create: (context: Context, body: z.output<Body>, query: z.output<Creating>) => Promise<ObjectView>
  /** Reads an object. A patch applies to the view without a query. */
  readonly read: (context: Context, id: number, query?: z.output<Reading>) => Promise<ObjectView>
  readonly update: (
    context: Context,
    id: number,
    change: BodyWithVersion<z.output<Body>>,
  ) => Promise<ObjectView>
  readonly delete: (context: Context, id: number, query: z.output<Deleting>) => Promise<void>
}

const NO_QUERY = z.object({})

export type NoQuery = typeof NO_QUERY

/** The routes that create, read, replace, patch and delete objects of a kind. */
export function versionedRoutes<
  Body extends z.ZodType,
  Creating extends z.ZodType = NoQuery,
  Reading extends z.ZodType = NoQuery,
  Deleting extends z.ZodType = NoQuery,
>(kind: VersionedKind<Body, Creating, Reading, Deleting>): Hono<Env> {
  const { path, noun, body, sizeMaxBytes, summaries, unset } = kind
  const one = `${path}/:id`
  const answers = { 200: ok(kind.view, `The ${noun}.`, ['ETag']) }
  const editing = { ...kind.editors, refuses: [409, 412] }
  return creating(kind)
    .get(
      one,
      policy({ ...kind.readers, summary: `Read a ${noun}`, answers }),
      valid('param', idPath),
      valid('query', kind.readQuery ?? NO_QUERY),
      async (c) => {
        const query = c.req.valid('query') as z.output<Reading>
        const { view, version } = await kind.read(c.get('context'), c.req.valid('param').id, query)
        return c.json(view, 200, { etag: entityTag(version) })
      },
    )
    .route(
      '/',
      replacing({
        path: one,
        place: idPath,
        body,
        sizeMaxBytes,
        summary: summaries.replace,
        noun: `a ${noun}`,
        policy: { ...editing, answers },
        ...(unset && { unset }),
        read: (context, { id }) => kind.read(context, id),
        write: (context, { id }, change) => kind.update(context, id, change),
      }),
    )
    .delete(
      one,
      policy({ ...editing, summary: summaries.delete, answers: { 204: noContent } }),
      valid('param', idPath),
      valid('query', kind.deleteQuery ?? NO_QUERY),
      async (c) => {
        const query = c.req.valid('query') as z.output<Deleting>
        await kind.delete(c.get('context'), c.req.valid('param').id, query)
        return c.body(null, 204)
      },
    )
}

function creating<
  Body extends z.ZodType,
  Creating extends z.ZodType,
  Reading extends z.ZodType,
  Deleting extends z.ZodType,
>(kind: VersionedKind<Body, Creating, Reading, Deleting>): Hono<Env> {
  const { path, noun, body, view, sizeMaxBytes, summaries, createRefuses = [] } = kind
  const answers = newAnswers(noun, view)
  return new Hono<Env>().post(
    path,
    policy({ ...kind.editors, summary: summaries.create, answers, refuses: [...createRefuses, 409] }),
    valid('query', kind.createQuery ?? NO_QUERY),
    jsonBody(sizeMaxBytes),
    valid('json', body),
    async (c) => {
      const query = c.req.valid('query') as z.output<Creating>
      return answerNew(c, path, await kind.create(c.get('context'), c.req.valid('json'), query))
    },
  )
}

/** The answer 201 of a route that creates an object. */
export function newAnswers(noun: string, view: z.ZodType): Readonly<Record<number, Answer>> {
  return { 201: ok(view, `The new ${noun}.`, ['Location', 'ETag']) }
}

/** Answers a new object of the collection at `path`. */
export function answerNew(c: HonoContext<Env>, path: string, { view, version }: ObjectView): Response {
  const location = `${c.get('ports').settings.basePath}${path}/${view.id}`
  return c.json(view, 201, { location, etag: entityTag(version) })
}
