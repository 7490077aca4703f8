import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { idParam } from '../../../http/openapi-answers.ts'
import { linkCursor, pageLimit } from '../../../http/paging.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const STATUSES = ['waiting', 'sent', 'dead'] as const

export const notificationsQuery = z.object({
  status: z
    .enum(STATUSES)
    .optional()
    .describe('The status of the notifications; `dead` means that all attempts failed.'),
  recipientId: idParam.optional(),
  alarmId: idParam.optional().describe('Only notifications about this alarm.'),
  limit: pageLimit(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: linkCursor,
})

export const notificationView = z
  .object({
    id: z.int(),
    key: z
      .string()
      .describe('The `Idempotency-Key` that the receiver gets; it is the same for each attempt.'),
    recipient: z.object({ id: z.int(), name: z.string() }),
    userId: z
      .int()
      .nullable()
      .describe('The user that the notification is for; null if the recipient is not a user or a group.'),
    status: z.enum(STATUSES),
    notices: z.int().describe('The number of alarm changes in the notification.'),
    attempts: z.int().describe('The number of attempts so far.'),
    detail: z.string().describe('The result of the latest attempt.'),
    created: timestamp,
    next: timestamp
      .nullable()
      .describe('When the next attempt is made; null once the notification is sent or dead.'),
    finished: timestamp.nullable().describe('When the notification was sent or failed for good.'),
  })
  .meta({ id: 'Notification' })

export const pauseView = z
  .object({
    pausedSince: timestamp.nullable().describe('When the pause began; null if notifications are not paused.'),
    waiting: z.int().describe('The number of notifications that are not sent yet, also without a pause.'),
  })
  .meta({ id: 'NotificationPause' })

export const resumeView = z
  .object({
    pausedSince: timestamp
      .nullable()
      .describe('When the pause began that ended now; null if notifications were not paused.'),
    waiting: z.int().describe('The number of notifications that will be sent now or when they are due.'),
    givenUp: z
      .int()
      .describe(
        'The number of notifications that will not be sent because they waited for more than 24 hours.',
      ),
  })
  .meta({ id: 'NotificationsResumed' })

export type NotificationsQuery = z.output<typeof notificationsQuery>
export type PauseView = z.output<typeof pauseView>
export type ResumeView = z.output<typeof resumeView>
export type NotificationView = z.output<typeof notificationView>
