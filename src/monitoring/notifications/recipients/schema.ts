import * as z from 'zod'
import { shownOnly } from '../../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../../http/instants.ts'
import { isFixedDuration } from '../../../lib/duration.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isTimeZone } from '../../../lib/time.ts'
import { entryBody } from '../../revaluations/schema.ts'
import { LEVELS } from '../../states/state.ts'
import { composedName, storableText } from '../../../http/text-schemas.ts'
import { OBJECT_TYPES } from '../../tree/schema.ts'
import { unknownFields } from '../texts/template.ts'
import { SPOKEN } from '../../../lib/language.ts'
import { TARGET_TYPES, TARGETS } from './target.ts'
import type { TargetType } from './target.ts'

/** The number of links and escalations that a recipient shows. */
export const USES_MAX = 20
const RECIPIENT_WARNINGS = ['not_used', 'reaches_nobody', 'objects_gone', 'last_message_failed'] as const
const OBJECTS_MAX = 100
const ESCALATIONS_MAX = 10
const VACATIONS_MAX = 100
const TIMES_MAX = 20
const REMINDERS_MAX = 100

/** A duration within inclusive bounds. */
function span(minMs: number, maxMs: number, bounds: string) {
  return z
    .string()
    .max(64)
    .refine((text) => isFixedDuration(text, maxMs, minMs), `must be an ISO 8601 duration of ${bounds}`)
    .meta({ format: 'duration' })
}

const templateText = (max: number) =>
  storableText
    .min(1)
    .max(max)
    .superRefine((text, issues) => {
      for (const field of unknownFields(text))
        issues.addIssue({ code: 'custom', message: `has {{${field}}}, which is not a known field` })
    })

const template = z.strictObject({
  subject: templateText(200).regex(/^\P{Cc}*$/u, 'must have no control characters'),
  text: templateText(4_000),
})

const rotation = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('turn').describe('Each alarm goes to the next member.') }),
  z.strictObject({
    by: z.literal('count').describe('The next member is on duty after this number of alarms.'),
    count: z.int().min(1).max(1_000).describe('The number of alarms.'),
  }),
  z.strictObject({
    by: z.literal('interval').describe('The next member is on duty after this time.'),
    interval: span(HOUR_MS, 366 * DAY_MS, 'PT1H to P366D').describe('How long a member is on duty.'),
    begin: instantQuery.describe('When the duty of the first member began or begins.'),
  }),
])

const vacation = z
  .strictObject({
    begin: instantQuery.describe('The first instant of the absence.'),
    end: instantQuery.describe('The end of the absence, exclusive.'),
    userId: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('The absent member of the group; null for all members.'),
  })
  .refine(({ begin, end }) => Date.parse(begin) < Date.parse(end), {
    path: ['end'],
    error: 'must be later than begin',
  })

/** The rules of a recipient: when it is notified, of which alarms, and in which language. */
const rules = {
  minState: z.enum(LEVELS).default('warning').describe('The minimum state of an alarm for notifications.'),
  objectIds: z
    .array(z.int().positive())
    .max(OBJECTS_MAX)
    .default([])
    .describe('Only alarms of these objects and of the objects below them; if empty, alarms of all objects.'),
  times: z
    .array(entryBody)
    .max(TIMES_MAX)
    .nullable()
    .default(null)
    .describe(
      'When notifications may be sent, in the form of `active` of revaluations; null for always. Alarms at other times are notified at the next such time if they are still open.',
    ),
  onVacation: z.boolean().default(false).describe('While true, the recipient gets no notifications.'),
  vacations: z
    .array(vacation)
    .max(VACATIONS_MAX)
    .default([])
    .describe('Absences, in which the recipient or the member gets no notifications.'),
  rotation: rotation
    .nullable()
    .default(null)
    .describe('The on-call rotation of a group; null to notify all members.'),
  escalation: z
    .array(
      z.strictObject({
        after: span(MINUTE_MS, 30 * DAY_MS, 'PT1M to P30D').describe('How long the alarm has been open.'),
        recipientId: z.int().positive().describe('The recipient that is notified as well.'),
      }),
    )
    .max(ESCALATIONS_MAX)
    .default([])
    .describe(
      'The recipients that are also notified when an alarm has been open for this long and is not acknowledged.',
    ),
  reminder: z
    .strictObject({
      every: span(5 * MINUTE_MS, 30 * DAY_MS, 'PT5M to P30D').describe('The time between two repetitions.'),
      times: z
        .int()
        .min(1)
        .max(REMINDERS_MAX)
        .default(10)
        .describe('The largest number of repetitions for an alarm.'),
    })
    .nullable()
    .default(null)
    .describe('How often the notification of an open alarm is repeated; null for never.'),
  recovery: z.boolean().default(true).describe('Whether the recipient is notified when an alarm closes.'),
  grouping: span(0, HOUR_MS, 'PT0S to PT1H')
    .default('PT10S')
    .describe('How long the first alarm waits for others, so that one message contains all of them.'),
  messagesPerHour: z
    .int()
    .min(1)
    .max(3_600)
    .default(60)
    .describe('The maximum number of messages per hour; further alarms are combined into one later message.'),
  language: z
    .enum(SPOKEN)
    .default('en')
    .describe('The language of the messages; users get their own language.'),
  timeZone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone')
    .nullable()
    .default(null)
    .describe(
      'The time zone of `times` and of instants in messages; null for the time zone of the service. Users get their own time zone.',
    ),
  templates: z
    .strictObject({ en: template, de: template, fr: template })
    .partial()
    .default({})
    .describe('Message templates instead of the default ones, with fields such as {{object.name}}.'),
}

/** Read-only fields of the view: they are ignored, so that a read can be sent back unchanged. */
const ignored = {
  id: shownOnly,
  lastResult: shownOnly,
  usedBy: shownOnly,
  secret: shownOnly,
  warnings: shownOnly,
}

function variant<T extends TargetType, S extends z.ZodType>(type: T, target: S) {
  return z.strictObject({ ...rules, ...ignored, name: composedName, type: z.literal(type), target })
}

const shown = z.string().max(8_192).describe('The target as it was read; it stays unchanged.')
const orShown = <S extends z.ZodType>(target: S) => z.union([target, shown]).optional()

export const newRecipientBody = z.discriminatedUnion('type', [
  variant('user', TARGETS.user),
  variant('group', TARGETS.group),
  variant('email', TARGETS.email),
  variant('webhook', TARGETS.webhook),
  variant('slack', TARGETS.slack),
  variant('teams', TARGETS.teams),
  variant('telegram', TARGETS.telegram),
  variant('ntfy', TARGETS.ntfy),
  variant('script', TARGETS.script),
])

/** An absent target stays unchanged. */
export const recipientBody = z.discriminatedUnion('type', [
  variant('user', orShown(TARGETS.user)),
  variant('group', orShown(TARGETS.group)),
  variant('email', orShown(TARGETS.email)),
  variant('webhook', orShown(TARGETS.webhook)),
  variant('slack', orShown(TARGETS.slack)),
  variant('teams', orShown(TARGETS.teams)),
  variant('telegram', orShown(TARGETS.telegram)),
  variant('ntfy', orShown(TARGETS.ntfy)),
  variant('script', orShown(TARGETS.script)),
])

const rulesSchema = z.object(rules)

export const recipientView = z
  .object({
    ...rulesSchema.shape,
    id: z.int(),
    name: z.string(),
    type: z.enum(TARGET_TYPES),
    target: z.string().describe('The target, without secrets.'),
    lastResult: z
      .object({ status: z.enum(['ok', 'failed']), at: timestamp, detail: z.string() })
      .nullable()
      .describe('The result of the latest message; null before the first message.'),
    usedBy: z
      .array(
        z.discriminatedUnion('kind', [
          z.object({
            kind: z.literal('link'),
            linkId: z.int(),
            objectType: z.enum(OBJECT_TYPES),
            objectId: z.int(),
          }),
          z.object({ kind: z.literal('escalation'), recipientId: z.int() }),
        ]),
      )
      .describe(`The first ${USES_MAX} alarm links and escalations that use this recipient.`),
    secret: z
      .string()
      .optional()
      .describe(
        'The secret that signs the webhook’s messages; shown only in the answer to the call that created it.',
      ),
    warnings: z
      .array(z.object({ code: z.enum(RECIPIENT_WARNINGS), message: z.string() }))
      .describe('Conditions under which no alarm reaches a person through this recipient.'),
  })
  .meta({ id: 'AlarmRecipient' })

export const testResult = z
  .object({
    status: z.enum(['ok', 'failed']),
    detail: z
      .string()
      .describe(
        'The answer of the receiver, or the number of group members that were notified (a test notifies at most 20).',
      ),
  })
  .meta({ id: 'AlarmRecipientTest' })

export type Rules = z.output<typeof rulesSchema>
/** Stored rules, with a time zone in any case. */
export type KeptRules = Rules & { readonly timeZone: string }
export type RecipientBody = z.output<typeof recipientBody>
export type NewRecipientBody = z.output<typeof newRecipientBody>
export type RecipientView = z.output<typeof recipientView>
export type TestResult = z.output<typeof testResult>
