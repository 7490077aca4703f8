import { Hono } from 'hono'
import { ok } from '../../../http/openapi-answers.ts'
import { nextLink, pageOrWhole } from '../../../http/paging.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import {
  childrenView,
  parentPath,
  searchPathBody,
  searchPathQuery,
  searchPathView,
  treeNode,
  treeQuery,
} from './schema.ts'
import { LIMIT_MAX, listQuery } from '../search/schema.ts'
import { listChildren, readTree, searchPath } from './service.ts'

const BODY_MAX_BYTES = 16 * 1024
const found = ok(searchPathView, 'The objects that match; the list can be empty.')

const searchPathPolicy = (where: string) =>
  policy({
    summary: `Find objects by a path of names, from ${where}`,
    roles: 'signed-in',
    scope: 'read',
    object: 'read',
    answers: { 200: found },
  })

export const browseRoutes = new Hono<Env>()
  .get(
    '/:parentType/:parentId/children',
    policy({
      summary: 'List the children of an object',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(childrenView, 'The children, by type and name.', ['Link']) },
    }),
    valid('param', parentPath),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIMIT_MAX, (page) =>
        listChildren(c.get('context'), c.req.valid('param'), page),
      )
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .get(
    '/root/tree/:parentType/:parentId/tree',
    policy({
      summary: 'Read an object with the objects below it',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(treeNode, 'The object with its children.') },
    }),
    valid('param', parentPath),
    valid('query', treeQuery),
    async (c) => c.json(await readTree(c.get('context'), c.req.valid('param'), c.req.valid('query'))),
  )
  .get('/root/searchPath', searchPathPolicy('the root group'), valid('query', searchPathQuery), async (c) =>
    c.json(await searchPath(c.get('context'), null, { ...c.req.valid('query'), pointer: '?path' })),
  )
  .post(
    '/root/searchPath',
    searchPathPolicy('the root group'),
    jsonBody(BODY_MAX_BYTES),
    valid('json', searchPathBody),
    async (c) =>
      c.json(await searchPath(c.get('context'), null, { ...c.req.valid('json'), pointer: '/path' })),
  )
  .get(
    '/:parentType/:parentId/searchPath',
    searchPathPolicy('a parent'),
    valid('param', parentPath),
    valid('query', searchPathQuery),
    async (c) => {
      const search = { ...c.req.valid('query'), pointer: '?path' }
      return c.json(await searchPath(c.get('context'), c.req.valid('param'), search))
    },
  )
  .post(
    '/:parentType/:parentId/searchPath',
    searchPathPolicy('a parent'),
    valid('param', parentPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', searchPathBody),
    async (c) => {
      const search = { ...c.req.valid('json'), pointer: '/path' }
      return c.json(await searchPath(c.get('context'), c.req.valid('param'), search))
    },
  )
