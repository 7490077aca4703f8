import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import type { Context } from '../context.ts'
import type { Unset } from './merge-patch.ts'
import { flagQuery, idParam, idPath, noContent, ok } from './openapi-answers.ts'
import { policy } from './policy.ts'
import type { Env, Policy } from './policy.ts'
import { entityTag } from './preconditions.ts'
import { EDITORS } from './roles.ts'
import { replacing } from './updates.ts'
import type { BodyWithVersion, VersionedView } from './updates.ts'
import { jsonBody, valid } from './valid.ts'

type ObjectView = VersionedView & { readonly view: { readonly id: number } }

/** A kind of object that has an id, a version and a parent. */
type ObjectKind<Body extends z.ZodType, Reading extends z.ZodType, Deleting extends z.ZodType> = {
  /** The path of the collection, such as `/groups`. */
  readonly path: string
  /** Follows *a* and *the* in summaries. */
  readonly noun: string
  readonly parentType: string
  readonly body: Body
  readonly view: z.ZodType
  readonly sizeMaxBytes: number
  readonly summaries: Readonly<Record<'create' | 'replace' | 'delete', string>>
  /** The query of GET; absent: none. */
  readonly readQuery?: Reading
  /** The query of DELETE; absent: none. */
  readonly deleteQuery?: Deleting
  readonly unset?: Unset
  readonly create: (context: Context, parentId: number, body: z.output<Body>) => Promise<ObjectView>
  /** A patch begins with what this returns without a query. */
  readonly read: (context: Context, id: number, query?: z.output<Reading>) => Promise<ObjectView>
  readonly update: (
    context: Context,
    id: number,
    change: BodyWithVersion<z.output<Body>>,
  ) => Promise<ObjectView>
  readonly delete: (context: Context, id: number, query: z.output<Deleting>) => Promise<void>
}

const NO_QUERY = z.object({})
/** The query of every deletion of an object. */
export const forcedQuery = z.object({
  forceDelete: flagQuery.default(false).describe('true: delete it although widgets of dashboards show it.'),
})

/** The policy of a change of one object, but for its summary and answers. */
export const editing = { roles: EDITORS, object: 'write', refuses: [409, 412] } as const

/** The routes that create, read, replace, patch and delete objects of a kind. */
export function objectRoutes<
  Body extends z.ZodType,
  Reading extends z.ZodType = typeof NO_QUERY,
  Deleting extends z.ZodType = typeof forcedQuery,
>(kind: ObjectKind<Body, Reading, Deleting>): Hono<Env> {
  const { path, noun, body, sizeMaxBytes, summaries, unset } = kind
  const one = `${path}/:id`
  const answers = { 200: ok(kind.view, `The ${noun}.`, ['ETag']) }
  const readQuery = kind.readQuery ?? NO_QUERY
  const deleteQuery = kind.deleteQuery ?? forcedQuery
  return creating(kind)
    .get(
      one,
      policy({ summary: `Read a ${noun}`, roles: 'signed-in', object: 'read', answers }),
      valid('param', idPath),
      valid('query', readQuery),
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
      valid('query', deleteQuery),
      async (c) => {
        const query = c.req.valid('query') as z.output<Deleting>
        await kind.delete(c.get('context'), c.req.valid('param').id, query)
        return c.body(null, 204)
      },
    )
}

function creating<Body extends z.ZodType, Reading extends z.ZodType, Deleting extends z.ZodType>({
  path,
  noun,
  parentType,
  body,
  view,
  sizeMaxBytes,
  summaries,
  create,
}: ObjectKind<Body, Reading, Deleting>): Hono<Env> {
  const parentQuery = z.object({ parentType: z.literal(parentType).default(parentType), parentId: idParam })
  return new Hono<Env>().post(
    path,
    policy({ ...creation(noun, view), summary: summaries.create, refuses: [404, 409, 412] }),
    valid('query', parentQuery),
    jsonBody(sizeMaxBytes),
    valid('json', body),
    async (c) =>
      answerNew(c, path, await create(c.get('context'), c.req.valid('query').parentId, c.req.valid('json'))),
  )
}

/** How an object is copied; `copy` returns the id of the new one. */
type Copying<Query extends z.ZodType> = {
  readonly path: string
  readonly noun: string
  readonly view: z.ZodType
  readonly summary: string
  readonly query: Query
  readonly copy: (context: Context, id: number, query: z.output<Query>) => Promise<number>
  readonly read: (context: Context, id: number) => Promise<ObjectView>
}

/** The route that copies an object of a kind. */
export function copyRoute<Query extends z.ZodType>({
  path,
  noun,
  view,
  summary,
  query,
  copy,
  read,
}: Copying<Query>): Hono<Env> {
  return new Hono<Env>().post(
    `${path}/:id/copy`,
    policy({ ...creation(noun, view), summary, refuses: [409] }),
    valid('param', idPath),
    valid('query', query),
    async (c) => {
      const id = await copy(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      return answerNew(c, path, await read(c.get('context'), id))
    },
  )
}

function creation(noun: string, view: z.ZodType): Omit<Policy, 'summary'> {
  const answers = { 201: ok(view, `The new ${noun}.`, ['Location', 'ETag']) }
  return { roles: EDITORS, object: 'write', answers }
}

function answerNew(c: HonoContext<Env>, path: string, { view, version }: ObjectView): Response {
  const location = `${c.get('ports').settings.basePath}${path}/${view.id}`
  return c.json(view, 201, { location, etag: entityTag(version) })
}
