import { Hono } from 'hono'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { valid } from '../../http/valid.ts'
import { operationPath, operationView } from './schema.ts'
import { cancelOperation, openResult, readOperation } from './service.ts'

export const operationRoutes = new Hono<Env>()
  .get(
    '/operations/:id',
    policy({
      summary: 'Read the state of an own operation',
      roles: 'signed-in',
      answers: { 200: ok(operationView, 'The operation.') },
    }),
    valid('param', operationPath),
    async (c) => c.json(await readOperation(c.get('context'), c.req.valid('param').id)),
  )
  .get(
    '/operations/:id/result',
    policy({
      summary: 'Read the result of an own operation, within an hour after its end',
      roles: 'signed-in',
      answers: {
        200: {
          description: 'The body that the request would have been answered.',
          media: 'application/json',
        },
      },
    }),
    valid('param', operationPath),
    async (c) => {
      const { body, sizeBytes } = await openResult(c.get('context'), c.req.valid('param').id)
      const headers = { 'content-type': 'application/json', 'content-length': String(sizeBytes) }
      return new Response(body, { headers })
    },
  )
  .delete(
    '/operations/:id',
    policy({
      summary: 'Cancel an own operation; an ended one is unchanged',
      roles: 'signed-in',
      answers: { 204: noContent },
    }),
    valid('param', operationPath),
    async (c) => {
      await cancelOperation(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
