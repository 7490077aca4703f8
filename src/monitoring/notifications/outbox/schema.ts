import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const STATUSES = ['waiting', 'sent', 'dead'] as const

export const notificationsQuery = z.object({
  status: z.enum(STATUSES).optional().describe('`dead` is what was given up.'),
  recipientId: idParam.optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z.string().max(4096).optional().describe('From the Link header of the page before.'),
})

const timestamp = z.iso.datetime({ offset: true })

export const notificationView = z
  .object({
    id: z.int(),
    key: z.string().describe('The `Idempotency-Key` that its receiver sees, whenever it is sent again.'),
    recipient: z.object({ id: z.int(), name: z.string() }),
    userId: z.int().nullable().describe('Whom of the recipient it is for; null where that is no user.'),
    status: z.enum(STATUSES),
    notices: z.int().describe('How much it tells.'),
    attempts: z.int(),
    detail: z.string().describe('What was said of the latest attempt.'),
    created: timestamp,
    next: timestamp.nullable().describe('When it is tried next; null once it is sent or dead.'),
    finished: timestamp.nullable(),
  })
  .meta({ id: 'Notification' })

export const resumeView = z
  .object({
    pausedSince: timestamp
      .nullable()
      .describe('When the pause began that ended now; null where there was none.'),
    waiting: z.int().describe('Notifications that are sent now, or at their time.'),
    givenUp: z.int().describe('Notifications that are not sent any more: they had waited for 24 hours.'),
  })
  .meta({ id: 'NotificationsResumed' })

export const notificationPath = z.object({ id: idParam })

export type NotificationsQuery = z.output<typeof notificationsQuery>
export type ResumeView = z.output<typeof resumeView>
export type NotificationView = z.output<typeof notificationView>
