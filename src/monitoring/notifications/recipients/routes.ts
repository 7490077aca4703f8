import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../../http/openapi-answers.ts'
import { entityTag } from '../../../http/preconditions.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR, EDITORS } from '../../../http/roles.ts'
import { replacing } from '../../../http/updates.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { newRecipientBody, recipientBody, recipientView, testResult } from './schema.ts'
import {
  createRecipient,
  deleteRecipient,
  listRecipients,
  readRecipient,
  testRecipient,
  updateRecipient,
} from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const oneRecipient = { 200: ok(recipientView, 'The recipient.', ['ETag']) }

function shown({ recipient, version }: Awaited<ReturnType<typeof readRecipient>>) {
  return { view: recipient, version }
}

export const recipientRoutes = new Hono<Env>()
  .get(
    '/alarmrecipients',
    policy({
      summary: 'List the alarm recipients (notification channels)',
      roles: EDITORS,
      answers: { 200: ok(z.object({ items: z.array(recipientView) }), 'The recipients, by id.') },
    }),
    async (c) => c.json({ items: await listRecipients(c.get('context')) }),
  )
  .post(
    '/alarmrecipients',
    policy({
      summary: 'Create an alarm recipient (notification channel)',
      roles: ADMINISTRATOR,
      answers: { 201: ok(recipientView, 'The new recipient.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', newRecipientBody),
    async (c) => {
      const { recipient, version } = await createRecipient(c.get('context'), c.req.valid('json'))
      return c.json(recipient, 201, {
        location: `${c.req.path}/${recipient.id}`,
        etag: entityTag(version),
      })
    },
  )
  .get(
    '/alarmrecipients/:id',
    policy({ summary: 'Read an alarm recipient', roles: EDITORS, answers: oneRecipient }),
    valid('param', idPath),
    async (c) => {
      const { recipient, version } = await readRecipient(c.get('context'), c.req.valid('param').id)
      return c.json(recipient, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/alarmrecipients/:id',
      place: idPath,
      body: recipientBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace an alarm recipient; an absent target stays unchanged',
      noun: 'an alarm recipient',
      policy: { roles: ADMINISTRATOR, answers: oneRecipient, refuses: [409, 412] },
      read: async (context, { id }) => shown(await readRecipient(context, id)),
      write: async (context, { id }, change) => shown(await updateRecipient(context, id, change)),
    }),
  )
  .delete(
    '/alarmrecipients/:id',
    policy({
      summary: 'Delete an alarm recipient and its waiting notifications',
      roles: ADMINISTRATOR,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    async (c) => {
      await deleteRecipient(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .post(
    '/alarmrecipients/:id/test',
    policy({
      summary: 'Send a test message to an alarm recipient',
      roles: ADMINISTRATOR,
      answers: { 200: ok(testResult, 'The result of the test message.') },
      refuses: [429],
    }),
    valid('param', idPath),
    async (c) => c.json(await testRecipient(c.get('context'), c.req.valid('param').id)),
  )
