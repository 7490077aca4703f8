import * as z from 'zod'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { instantQuery } from '../../http/instants.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { HELD_REASONS, STATUSES } from '../alarms/alarm.ts'
import type { Status } from '../alarms/alarm.ts'
import { LEVELS } from '../states/state.ts'
import { storableText } from '../../http/text-schemas.ts'
import { OBJECT_TYPES, permissionsView, reasonsView } from '../tree/schema.ts'
import { ITEMS } from '../tree/search/items.ts'
import { conditionsOf, FILTER_MAX, pageLimit } from '../tree/search/schema.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
/** How many comments an alarm may have. */
export const COMMENTS_MAX = 1_000
/** How many of them a list shows, the latest. */
export const COMMENTS_SHOWN = 5
/** How far a list counts. */
export const TOTAL_MAX = 10_000
/** How many alarms one call acts on. */
export const ACTED_MAX = 1_000

/** How many links an object may have. */
const LINKS_MAX = 50
const DELAY_MAX_MS = 7 * 86_400_000

const text = storableText.max(4_000)
const commentText = text.min(1)
const DEFAULT_STATUSES = ['open', 'assigned'] as const

/** The items of a search, and those of alarms. */
const FILTER_ITEMS = [
  ...new Set([...Object.keys(ITEMS), 'severity', 'assignee', 'objectId', 'objectName', 'opened']),
] as [string, ...string[]]

/** Specification: Filter definition. */
export const alarmFilterDefinition = z.strictObject({
  type: z.enum(OBJECT_TYPES).nullish().describe('Of the object.'),
  ...conditionsOf(
    z
      .enum(FILTER_ITEMS)
      .describe('As in a search, of the object; `id`, `severity`, `assignee` and `opened` are of the alarm.'),
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
      message: `must be some of ${STATUSES.join(', ')}, with commas between`,
    })
    return z.NEVER
  })
  .meta({ type: 'string' })

export const alarmsQuery = z.object({
  filterDefinition: z
    .string()
    .max(FILTER_MAX)
    .optional()
    .describe('JSON, as the body of `POST /alarms` has it.'),
  state: statusList.describe('Which alarms: `open`, `assigned`, `closed`, with commas between.'),
  begin: instantQuery.optional().describe('Those that opened then or later.'),
  end: instantQuery.optional().describe('Those that opened before.'),
  assignee: idParam.optional().describe('Those that this user has or had last.'),
  limit: pageLimit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: z.string().max(4096).optional().describe('`nextCursor` of the page before.'),
})

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

const dateTime = z.iso.datetime({ offset: true })

export const commentView = z
  .object({
    id: z.int(),
    userId: z.int(),
    name: z.string().nullable().describe('Null when the user is gone.'),
    text: z.string(),
    created: dateTime,
  })
  .meta({ id: 'AlarmComment' })

export const alarmView = z
  .object({
    id: z.int(),
    status: z.enum(STATUSES),
    state: z.enum(LEVELS).describe('The latest of the object’s states that was bad.'),
    worstState: z.enum(LEVELS),
    begin: dateTime,
    end: dateTime.nullable().describe('When the object got well; null until the alarm closes.'),
    wellSince: dateTime
      .nullable()
      .describe('Since when the object is well, while that is too short to close it.'),
    reason: z.string().describe('Why the object got bad, as in its state history.'),
    message: z.string().nullable(),
    object: z.object({
      id: z.int(),
      type: z.enum(OBJECT_TYPES),
      subType: z.string(),
      name: z.string(),
      path: z.string().describe('Names from the root group down, with slashes between.'),
      permissions: permissionsView,
      properties: z.array(z.object({ id: z.int(), key: z.string(), value: z.string() })),
    }),
    linkId: z.int().describe('The link that it came from.'),
    recipientId: z.int().nullable().describe('Who is told; null for nobody.'),
    assignee: z.object({ userId: z.int(), name: z.string() }).nullable(),
    assignedUntil: dateTime.nullable().describe('Null while it is assigned for good, or not at all.'),
    sticky: z.boolean().describe('Whether it stays assigned when it gets worse.'),
    suppressedBy: z
      .int()
      .nullable()
      .describe('The open alarm that explains it; it is told once that has closed.'),
    heldReason: z.enum(HELD_REASONS).nullable().describe('What keeps it from being told.'),
    reasons: reasonsView,
    notifications: z
      .object({ sent: z.int(), failed: z.int().describe('Given up.') })
      .describe(
        'How many messages told of it; those of the last 400 days, and of recipients that are there.',
      ),
    comments: z
      .array(commentView)
      .describe(`The latest ${COMMENTS_SHOWN} in lists, else all; the latest last.`),
    commentsTotal: z.int(),
    _v: z.int().describe('Counts what happened to it.'),
  })
  .meta({ id: 'Alarm' })

export const alarmsView = z
  .object({
    items: z.array(alarmView).describe('The latest first.'),
    total: z.int().describe(`How many there are, counted up to ${TOTAL_MAX}.`),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'Alarms' })

export const commentBody = z.strictObject({ text: commentText })

const until = instantQuery.nullish().describe('Null for good.')

export const assignBody = z.strictObject({
  userId: z.int().positive().nullable().describe('Null takes it from whoever has it.'),
  until,
  comment: commentText.nullish(),
  sticky: z.boolean().default(false).describe('Whether it stays assigned when it gets worse.'),
})

const which = {
  ids: z.array(z.int().positive()).min(1).max(ACTED_MAX).optional(),
  filter: alarmsBody
    .omit({ limit: true, cursor: true })
    .optional()
    .describe(`As of \`POST /alarms\`: the latest ${ACTED_MAX} that it finds.`),
}

export const actionsBody = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('comment'), ...which, ...commentBody.shape }),
    z.strictObject({ action: z.literal('assign'), ...which, ...assignBody.shape }),
  ])
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'either this or `filter` says which alarms',
  })

export const actionsView = z
  .object({
    items: z.array(
      z.object({
        id: z.int(),
        status: z.enum(['done', 'refused']),
        code: z.string().nullable().describe('Of the problem document that the call by itself would get.'),
        detail: z.string().nullable(),
      }),
    ),
    isMore: z.boolean().describe('Whether the filter finds more than were acted on.'),
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
    .describe('The object itself, or every job, service level object and container at or below it.'),
  minState: z.enum(LEVELS).default('warning').describe('The state from which on an alarm opens.'),
  recipientId: z.int().positive().nullable().default(null).describe('Who is told; null for nobody.'),
  delay: delay.default('PT0S').describe('How long an alarm is held before it is told.'),
  recoveryDelay: delay.default('PT0S').describe('How long an object has to be well before its alarm closes.'),
  events: z
    .array(z.enum(LINK_EVENTS))
    .max(LINK_EVENTS.length)
    .default([...LINK_EVENTS])
    .describe('What is told. States, times and objects are up to the recipient as well.'),
}

export const linksBody = z.strictObject({
  links: z
    .array(
      z.strictObject({
        id: z.int().positive().optional().describe('Of a link that stays, with its open alarms.'),
        ...linkShape,
      }),
    )
    .max(LINKS_MAX)
    .superRefine((links, issues) => {
      const ids = links.map(({ id }) => id)
      for (const [index, id] of ids.entries()) {
        if (id !== undefined && ids.indexOf(id) < index)
          issues.addIssue({ code: 'custom', path: [index, 'id'], message: 'is there twice' })
      }
    })
    .describe(
      'All links of the object. A link without `id` is the one of before with the same content. Alarms of links that are left out close; a new link opens alarms of what is bad now.',
    ),
  warnings: shownOnly,
})

export const linksView = z
  .object({
    links: z.array(z.object({ id: z.int(), ...linkShape })),
    warnings: z
      .array(z.object({ code: z.literal('alarms_closed'), message: z.string() }))
      .describe('Consequences of the call that the caller may not have meant.'),
  })
  .meta({ id: 'AlarmLinks' })

export type LinksBody = z.infer<typeof linksBody>
export type LinksView = z.infer<typeof linksView>
export type AlarmsBody = z.infer<typeof alarmsBody>
export type AlarmsQuery = z.infer<typeof alarmsQuery>
export type AlarmView = z.infer<typeof alarmView>
export type AlarmsView = z.infer<typeof alarmsView>
export type AlarmCommentView = z.infer<typeof commentView>
export type AssignBody = z.infer<typeof assignBody>
export type ActionsBody = z.infer<typeof actionsBody>
export type ActionsView = z.infer<typeof actionsView>
