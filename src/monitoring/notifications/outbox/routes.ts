import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, ok } from '../../../http/openapi-answers.ts'
import { nextLink } from '../../../http/paging.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { ADMINISTRATOR } from '../../../http/roles.ts'
import { valid } from '../../../http/valid.ts'
import { notificationsQuery, notificationView, pauseView, resumeView } from './schema.ts'
import { listNotifications, readPause, resendNotification, resumeNotifications } from './service.ts'

export const outboxRoutes = new Hono<Env>()
  .get(
    '/notifications',
    policy({
      summary: 'List notifications: sent, waiting and failed ones',
      roles: ADMINISTRATOR,
      answers: {
        200: ok(z.object({ items: z.array(notificationView) }), 'The notifications, latest first.', ['Link']),
      },
    }),
    valid('query', notificationsQuery),
    async (c) => {
      const { items, next } = await listNotifications(c.get('context'), c.req.valid('query'))
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .get(
    '/notifications/pause',
    policy({
      summary: 'Read whether notifications are paused, which they are after a restore',
      roles: ADMINISTRATOR,
      answers: { 200: ok(pauseView, 'The pause, and the number of waiting notifications.') },
    }),
    async (c) => c.json(await readPause(c.get('context'))),
  )
  .post(
    '/notifications/resume',
    policy({
      summary: 'Resume notifications, which are paused after a restore',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: {
        200: ok(resumeView, 'The pause that ended, and the number of notifications that it held back.'),
      },
    }),
    async (c) => c.json(await resumeNotifications(c.get('context'))),
  )
  .post(
    '/notifications/:id/resend',
    policy({
      summary: 'Send a failed or waiting notification now',
      roles: ADMINISTRATOR,
      answers: { 200: ok(notificationView, 'The notification.') },
      refuses: [409],
    }),
    valid('param', idPath),
    async (c) => c.json(await resendNotification(c.get('context'), c.req.valid('param').id)),
  )
