import { Hono } from 'hono'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { flagQuery, idParam, idPath } from './openapi-answers.ts'
import { policy } from './policy.ts'
import type { Env } from './policy.ts'
import { EDITORS } from './roles.ts'
import { valid } from './valid.ts'
import { answerNew, newAnswers, versionedRoutes } from './versioned-routes.ts'
import type { NoQuery, ObjectView, VersionedKind } from './versioned-routes.ts'

/** The query of a deletion of an object of the tree. */
export const forcedQuery = z.object({
  forceDelete: flagQuery.default(false).describe('true: delete it although widgets of dashboards show it.'),
})

const EDITING = { roles: EDITORS, object: 'write' } as const

/** The policy of a change of one object, but for its summary and answers. */
export const editing = { ...EDITING, refuses: [409, 412] } as const

/** A kind of object of the tree. The query of its DELETE is `forcedQuery` where none is given. */
type ObjectKind<Body extends z.ZodType, Reading extends z.ZodType, Deleting extends z.ZodType> = Omit<
  VersionedKind<Body, z.ZodType, Reading, Deleting>,
  'readers' | 'editors' | 'create' | 'createQuery' | 'createRefuses'
> & {
  readonly parentType: string
  readonly create: (context: Context, parentId: number, body: z.output<Body>) => Promise<ObjectView>
}

/** The routes that create, read, replace, patch and delete objects of the tree: as far as grants let them, signed-in users
 * read and editors change. */
export function objectRoutes<
  Body extends z.ZodType,
  Reading extends z.ZodType = NoQuery,
  Deleting extends z.ZodType = typeof forcedQuery,
>({ parentType, create, ...kind }: ObjectKind<Body, Reading, Deleting>): Hono<Env> {
  const createQuery = z.object({ parentType: z.literal(parentType).default(parentType), parentId: idParam })
  return versionedRoutes({
    ...kind,
    readers: { roles: 'signed-in', object: 'read' },
    editors: EDITING,
    createRefuses: [404, 412],
    createQuery,
    deleteQuery: (kind.deleteQuery ?? forcedQuery) as Deleting,
    create: (context, body, { parentId }) => create(context, parentId, body),
  })
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
    policy({ ...EDITING, summary, answers: newAnswers(noun, view), refuses: [409] }),
    valid('param', idPath),
    valid('query', query),
    async (c) => {
      const id = await copy(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      return answerNew(c, path, await read(c.get('context'), id))
    },
  )
}
