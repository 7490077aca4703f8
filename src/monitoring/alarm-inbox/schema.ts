import * as z from 'zod'
import { actionResults } from '../../http/action-results.ts'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { instantQuery, rangeQuery, timestamp } from '../../http/instants.ts'
import { withoutRepeats } from '../../http/lists.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { HELD_REASONS, STATUSES } from '../alarms/alarm.ts'
import type { Status } from '../alarms/alarm.ts'
import { LEVELS } from '../states/state.ts'
import { storableText } from '../../http/text-schemas.ts'
import { nextCursor } from '../../http/paging.ts'
import { OBJECT_TYPES, permissionsView, reasonsView } from '../tree/schema.ts'
import { ITEMS } from '../tree/search/items.ts'
import { conditionsOf, FILTER_MAX, pageLimit } from '../tree/search/schema.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
/** Comments of one alarm. */
export const COMMENTS_MAX = 1_000
/** Comments of an alarm that a list shows: the latest ones. */
export const COMMENTS_SHOWN = 5
/** The number up to which a list counts alarms. */
export const TOTAL_MAX = 10_000
/** Alarms of one `POST /alarms/actions`. */
export const ACTED_MAX = 1_000

/** The latest alarms that a trend counts, and its intervals. */
export const TREND_ALARMS_MAX = 50_000
export const TREND_INTERVALS_MAX = 1_000

/** Links of one object. */
const LINKS_MAX = 50
const DELAY_MAX_MS = 7 * 86_400_000

const text = storableText.max(4_000)
const commentText = text.min(1)
const DEFAULT_STATUSES = ['open', 'assigned'] as const

/** The items of a search and of alarms. */
const FILTER_ITEMS = [
  ...new Set([...Object.keys(ITEMS), 'severity', 'assignee', 'objectId', 'objectName', 'opened']),
] as [string, ...string[]]

/** Specification: Filter definition. */
export const alarmFilterDefinition = z.strictObject({
  type: z.enum(OBJECT_TYPES).nullish().describe('The type of the object.'),
  ...conditionsOf(
    z
      .enum(FILTER_ITEMS)
      .describe(
        'The items of a search, for the alarm’s object. `id`, `severity`, `assignee` and `opened` refer to the alarm itself.',
      ),
  ),
})

export type AlarmFilterDefinition = z.infer<typeof alarmFilterDefinition>

const statusList = z
  .string()
  .max(64)
  .default(DEFAULT_STATUSES.join(','))
  .transform((list, issues): readonly Status[] => {
    const given = list.split(',')
    const known = STATUSES.filter((status) => given.includes(status))
    if (known.length === new Set(given).size) return known
    issues.addIssue({
      code: 'custom',
      message: `must be some of ${STATUSES.join(', ')}, separated by commas`,
    })
    return z.NEVER
  })
  .meta({ type: 'string' })

export const alarmsQuery = z.object({
  filterDefinition: z
    .string()
    .max(FILTER_MAX)
    .optional()
    .describe('A filter definition as JSON text, as in the body of `POST /alarms`.'),
  state: statusList.describe(
    'The status of the alarms: `open`, `assigned` (acknowledged), `closed`, separated by commas.',
  ),
  begin: instantQuery.optional().describe('Only alarms that opened at or after this instant.'),
  end: instantQuery.optional().describe('Only alarms that opened before this instant.'),
  assignee: idParam.optional().describe('Only alarms whose current or last assignee is this user.'),
  limit: pageLimit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: nextCursor,
})

export const trendQuery = z.object({
  begin: rangeQuery.begin.describe('The start of the trend; default: a day before its end.'),
  end: rangeQuery.end.describe('The end of the trend, which is excluded; default: now.'),
  scale: z
    .string()
    .max(64)
    .refine((given) => isFixedDuration(given, Number.POSITIVE_INFINITY, 1), 'must be an ISO 8601 duration')
    .meta({ format: 'duration' })
    .default('PT15M')
    .describe(
      `The length of an interval, without months and years; a trend has at most ${TREND_INTERVALS_MAX} intervals.`,
    ),
})

export const trendView = z
  .object({
    now: z
      .object({
        unacknowledged: z.int().describe('Open alarms that no user has acknowledged.'),
        acknowledged: z.int().describe('Acknowledged alarms that are not closed.'),
        suppressed: z.int().describe('Alarms, open or acknowledged, that another open alarm explains.'),
      })
      .describe('The numbers of alarms now. An alarm that another one explains counts only as suppressed.'),
    items: z.array(
      z.object({
        timestamp: timestamp.describe('The begin of the interval.'),
        objects: z.int().describe('Objects with an alarm that was open during the interval.'),
        major: z.int().describe('Those with an alarm that was major at some time.'),
      }),
    ),
    isComplete: z
      .boolean()
      .describe(
        `False when more than ${TREND_ALARMS_MAX} alarms were open, of which the rest are not counted.`,
      ),
  })
  .meta({ id: 'AlarmTrend' })

export const alarmsBody = z.strictObject({
  filterDefinition: alarmFilterDefinition.nullish(),
  state: z
    .array(z.enum(STATUSES))
    .min(1)
    .max(STATUSES.length)
    .default([...DEFAULT_STATUSES]),
  begin: instantQuery.nullish(),
  end: instantQuery.nullish(),
  assignee: z.int().positive().nullish(),
  limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z.string().max(4096).nullish(),
})

export const commentView = z
  .object({
    id: z.int(),
    userId: z.int(),
    name: z.string().nullable().describe('The user’s name; null if the user was deleted.'),
    text: z.string(),
    created: timestamp,
  })
  .meta({ id: 'AlarmComment' })

export const alarmView = z
  .object({
    id: z.int(),
    status: z.enum(STATUSES).describe('`assigned` alarms are acknowledged and silent.'),
    state: z.enum(LEVELS).describe('The object’s latest state of `warning` or worse.'),
    worstState: z.enum(LEVELS).describe('The worst state since the alarm opened.'),
    begin: timestamp,
    end: timestamp.nullable().describe('When the object recovered; null until the alarm closes.'),
    wellSince: timestamp
      .nullable()
      .describe('When the object recovered, while the recovery delay of the link has not passed yet.'),
    reason: z.string().describe('The reason of the object’s state change, as in its state history.'),
    message: z.string().nullable(),
    object: z.object({
      id: z.int(),
      type: z.enum(OBJECT_TYPES),
      subType: z.string(),
      name: z.string(),
      path: z.string().describe('The names from the root group down, separated by slashes.'),
      permissions: permissionsView,
      properties: z.array(z.object({ id: z.int(), key: z.string(), value: z.string() })),
    }),
    linkId: z.int().describe('The alarm link (routing rule) that opened the alarm.'),
    recipientId: z.int().nullable().describe('The recipient of the notifications; null for none.'),
    assignee: z.object({ userId: z.int(), name: z.string() }).nullable(),
    assignedUntil: timestamp
      .nullable()
      .describe('When the assignment ends; null if it has no end, or if the alarm is not assigned.'),
    sticky: z.boolean().describe('Whether the alarm stays assigned when its state gets worse.'),
    suppressedBy: z
      .int()
      .nullable()
      .describe(
        'The open alarm that is the cause of this one; this alarm is notified only after that one has closed.',
      ),
    heldReason: z
      .enum(HELD_REASONS)
      .nullable()
      .describe('Why notifications of the alarm are held back; null if they are not.'),
    reasons: reasonsView,
    notifications: z
      .object({
        sent: z.int().describe('How many messages were sent.'),
        failed: z.int().describe('How many messages failed for good.'),
      })
      .describe(
        'How many messages about the alarm were sent in the last 400 days, to recipients that still exist.',
      ),
    comments: z
      .array(commentView)
      .describe(`In lists the latest ${COMMENTS_SHOWN} comments, otherwise all; in order of creation.`),
    commentsTotal: z.int().describe('The number of all comments.'),
    _v: z.int().describe('The version of the alarm: the number of its changes.'),
  })
  .meta({ id: 'Alarm' })

export const alarmsView = z
  .object({
    items: z.array(alarmView).describe('The alarms, latest first.'),
    total: z.int().describe(`The number of matching alarms, counted up to ${TOTAL_MAX}.`),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'Alarms' })

export const commentBody = z.strictObject({ text: commentText })

const until = instantQuery.nullish().describe('When the assignment ends; null for no end.')

export const assignBody = z.strictObject({
  userId: z.int().positive().nullable().describe('The new assignee; null unassigns the alarm.'),
  until,
  comment: commentText.nullish(),
  sticky: z.boolean().default(false).describe('Whether the alarm stays assigned when its state gets worse.'),
})

const which = {
  ids: z.array(z.int().positive()).min(1).max(ACTED_MAX).optional(),
  filter: alarmsBody
    .omit({ limit: true, cursor: true })
    .optional()
    .describe(
      `A filter as in \`POST /alarms\`; the action applies to the latest ${ACTED_MAX} alarms that match.`,
    ),
}

export const actionsBody = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('comment'), ...which, ...commentBody.shape }),
    z.strictObject({ action: z.literal('assign'), ...which, ...assignBody.shape }),
  ])
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'give either `ids` or `filter`, not both',
  })
  .meta({ examples: [{ ids: [7], action: 'comment', text: 'The compressor was replaced.' }] })

export const actionsView = z
  .object({
    items: actionResults('alarm'),
    isMore: z.boolean().describe('Whether more alarms match the filter than the call acted on.'),
  })
  .meta({ id: 'AlarmActions' })

const delay = z
  .string()
  .max(64)
  .refine((value) => isFixedDuration(value, DELAY_MAX_MS), 'must be an ISO 8601 duration of 7 days at most')
  .meta({ format: 'duration' })

const LINK_EVENTS = ['opened', 'worsened', 'flapping', 'closed'] as const

const linkShape = {
  covers: z
    .enum(['object', 'below'])
    .default('below')
    .describe(
      'The scope: the object itself, or every job, service level object and container at or below it.',
    ),
  minState: z.enum(LEVELS).default('warning').describe('The least severe state that opens an alarm.'),
  recipientId: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The recipient of the notifications; null for none.'),
  delay: delay.default('PT0S').describe('How long to wait before an open alarm is notified.'),
  recoveryDelay: delay.default('PT0S').describe('How long the object must be well before its alarm closes.'),
  events: z
    .array(z.enum(LINK_EVENTS))
    .max(LINK_EVENTS.length)
    .default([...LINK_EVENTS])
    .describe(
      'The changes of an alarm that are notified. A recipient can limit states, times and objects further.',
    ),
}

export const linksBody = z.strictObject({
  links: z
    .array(
      z.strictObject({
        id: z
          .int()
          .positive()
          .optional()
          .describe('The id of an existing link to keep, with its open alarms.'),
        ...linkShape,
      }),
    )
    .max(LINKS_MAX)
    .superRefine(withoutRepeats('id'))
    .describe(
      'All links of the object. A link without `id` is matched with an existing link of the same content. Alarms of removed links close. A new link opens alarms for objects that are in a bad state now.',
    ),
  warnings: shownOnly,
})

export const linksView = z
  .object({
    links: z.array(z.object({ id: z.int(), ...linkShape })),
    warnings: z
      .array(z.object({ code: z.literal('alarms_closed'), message: z.string() }))
      .describe('Consequences of the call that may be unintended.'),
  })
  .meta({ id: 'AlarmLinks' })

export type LinksBody = z.infer<typeof linksBody>
export type LinksView = z.infer<typeof linksView>
export type AlarmsBody = z.infer<typeof alarmsBody>
export type AlarmsQuery = z.infer<typeof alarmsQuery>
export type TrendQuery = z.infer<typeof trendQuery>
export type TrendView = z.infer<typeof trendView>
export type AlarmView = z.infer<typeof alarmView>
export type AlarmsView = z.infer<typeof alarmsView>
export type AlarmCommentView = z.infer<typeof commentView>
export type AssignBody = z.infer<typeof assignBody>
export type ActionsBody = z.infer<typeof actionsBody>
export type ActionsView = z.infer<typeof actionsView>
