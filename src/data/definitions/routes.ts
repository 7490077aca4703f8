import { Hono } from 'hono'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { importedTablePath } from '../imports/schema.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { deleteTable } from '../tables/service.ts'
import { importedTableView, tableBody, tableChange } from './schema.ts'
import { changeTable, createTable } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const administering = { roles: ADMINISTRATOR, scope: 'administration' } as const

export const definitionRoutes = new Hono<Env>()
  .post(
    '/dataSources/:id/tables',
    policy({
      summary: 'Create a table without rows',
      ...administering,
      answers: { 201: ok(importedTableView, 'The table.', ['ETag']) },
      refuses: [409],
    }),
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', tableBody),
    async (c) => {
      const { view, etag } = await createTable(c.get('context'), c.req.valid('param').id, c.req.valid('json'))
      return c.json(view, 201, { ETag: etag })
    },
  )
  .patch(
    '/dataSources/:id/tables/:table',
    policy({
      summary: 'Rename an imported table; add, remove, rename or retype its columns',
      ...administering,
      answers: { 200: ok(importedTableView, 'The table.', ['ETag']) },
      refuses: [409, 412],
    }),
    valid('param', importedTablePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', tableChange),
    async (c) => {
      const { view, etag } = await changeTable(c.get('context'), c.req.valid('param'), c.req.valid('json'))
      return c.json(view, 200, { ETag: etag })
    },
  )
  .delete(
    '/dataSources/:id/tables/:table',
    policy({
      summary: 'Delete an imported table',
      ...administering,
      answers: { 204: noContent },
      refuses: [412],
    }),
    valid('param', importedTablePath),
    async (c) => {
      await deleteTable(c.get('context'), c.req.valid('param'))
      return c.body(null, 204)
    },
  )
