import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { columnView, READERS, tableView } from '../sources/schema.ts'
import { effectiveQuery, effectiveView, scopeBody, scopePath, scopeView } from './schema.ts'
import { createScope, deleteScope, listScopes, readScope, updateScope } from './service.ts'
import { previewScopes } from './service/preview.ts'
import { listVisibleColumns, listVisibleTables } from './service/sights.ts'

const BODY_MAX_BYTES = 64 * 1024
const administering = { roles: ADMINISTRATOR, scope: 'administration' } as const
const oneScope = { 200: ok(scopeView, 'The scope.', ['ETag']) }

export const scopeRoutes = new Hono<Env>()
  .get(
    '/dataSources/:id/columns',
    policy({
      summary: 'List the columns in the schema of a data source that the caller may read',
      roles: READERS,
      answers: { 200: ok(z.array(columnView), 'The columns, by table and position; at most 20,000.') },
      refuses: [422],
    }),
    valid('param', idPath),
    async (c) => c.json(await listVisibleColumns(c.get('context'), c.req.valid('param').id)),
  )
  .get(
    '/dataSources/:id/tables',
    policy({
      summary: 'List the tables and views in the schema of a data source that the caller may read',
      roles: READERS,
      answers: { 200: ok(z.array(tableView), 'The tables and views, by name.') },
      refuses: [422],
    }),
    valid('param', idPath),
    async (c) => c.json(await listVisibleTables(c.get('context'), c.req.valid('param').id)),
  )
  .get(
    '/dataSources/:id/scopes',
    policy({
      ...administering,
      summary: 'List the scopes of a data source',
      answers: { 200: ok(z.object({ items: z.array(scopeView) }), 'The scopes, by id; at most 100.') },
    }),
    valid('param', idPath),
    async (c) => c.json({ items: await listScopes(c.get('context'), c.req.valid('param').id) }),
  )
  .post(
    '/dataSources/:id/scopes',
    policy({
      ...administering,
      summary: 'Create a scope: rows and columns of some tables for some users',
      answers: { 201: ok(scopeView, 'The new scope.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', scopeBody),
    async (c) => {
      const made = await createScope(c.get('context'), c.req.valid('param').id, c.req.valid('json'))
      const headers = { location: `${c.req.path}/${made.view.id}`, etag: entityTag(made.version) }
      return c.json(made.view, 201, headers)
    },
  )
  // Before `:scopeId`.
  .get(
    '/dataSources/:id/scopes/effective',
    policy({
      ...administering,
      summary: 'Show the rows and columns that a user may read and edit, with the reasons',
      answers: { 200: ok(effectiveView, 'The tables and views of the data source.') },
    }),
    valid('param', idPath),
    valid('query', effectiveQuery),
    async (c) => c.json(await previewScopes(c.get('context'), c.req.valid('param').id, c.req.valid('query'))),
  )
  .get(
    '/dataSources/:id/scopes/:scopeId',
    policy({ ...administering, summary: 'Read a scope', answers: oneScope }),
    valid('param', scopePath),
    async (c) => {
      const { view, version } = await readScope(c.get('context'), c.req.valid('param'))
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/dataSources/:id/scopes/:scopeId',
      place: scopePath,
      body: scopeBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace a scope',
      noun: 'a scope',
      policy: { ...administering, answers: oneScope, refuses: [409, 412] },
      read: (context, place) => readScope(context, place),
      write: (context, place, change) => updateScope(context, place, change),
    }),
  )
  .delete(
    '/dataSources/:id/scopes/:scopeId',
    policy({
      ...administering,
      summary: 'Delete a scope',
      answers: { 204: noContent },
      refuses: [412],
    }),
    valid('param', scopePath),
    async (c) => {
      await deleteScope(c.get('context'), c.req.valid('param'))
      return c.body(null, 204)
    },
  )
