import { Hono } from 'hono'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { importedTablePath } from '../imports/schema.ts'
import { READERS } from '../sources/schema.ts'
import { deleteBody, editView, insertBody, updateBody } from './schema.ts'
import { deleteRows, insertRows, updateRows } from './service.ts'

const BODY_MAX_BYTES = 1024 * 1024
const PATH = '/dataSources/:id/tables/:table/rows'
const editing = {
  roles: READERS,
  scope: 'write',
  answers: { 200: ok(editView, 'The rows that were written.', ['ETag']) },
  refuses: [403, 409, 412],
} as const

export const rowRoutes = new Hono<Env>()
  .post(
    PATH,
    policy({ summary: 'Insert rows into an imported table, all of them or none', ...editing }),
    valid('param', importedTablePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', insertBody),
    async (c) => {
      const [context, place, body] = [c.get('context'), c.req.valid('param'), c.req.valid('json')]
      const { view, etag } = await insertRows(context, place, body)
      return c.json(view, 200, { ETag: etag })
    },
  )
  .patch(
    PATH,
    policy({ summary: 'Change rows of an imported table by their key, all of them or none', ...editing }),
    valid('param', importedTablePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', updateBody),
    async (c) => {
      const [context, place, body] = [c.get('context'), c.req.valid('param'), c.req.valid('json')]
      const { view, etag } = await updateRows(context, place, body)
      return c.json(view, 200, { ETag: etag })
    },
  )
  .delete(
    PATH,
    policy({ summary: 'Delete rows of an imported table by their key, all of them or none', ...editing }),
    valid('param', importedTablePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', deleteBody),
    async (c) => {
      const [context, place, body] = [c.get('context'), c.req.valid('param'), c.req.valid('json')]
      const { view, etag } = await deleteRows(context, place, body)
      return c.json(view, 200, { ETag: etag })
    },
  )
