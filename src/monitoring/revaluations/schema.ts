import * as z from 'zod'
import { flagQuery, idParam, shownOnly } from '../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../http/instants.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { isTimeZone } from '../../lib/time.ts'
import { storableText } from '../../http/text-schemas.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'
import { ENTRY_TYPES } from './occurrences.ts'
import type { EntryType } from './occurrences.ts'

const ENTRIES_MAX = 20
/** The maximum number of times in all entries together. */
const TIMES_MAX = 50
const OCCURRENCE_MAX_MS = 31 * 86_400_000
const LISTED_MAX = 1_000

export const REVALUATION_TYPES = ['maintenance', 'adjustment', 'comment'] as const
export const ADJUSTMENTS = ['undefined', 'ok', 'warning', 'minor', 'major'] as const
const STATUSES = ['planned', 'running', 'ended', 'cancelled'] as const

const text = storableText.max(255)
const longText = storableText.max(4_000)

const occurrenceDuration = z
  .string()
  .max(64)
  .refine(
    (value) => isFixedDuration(value, OCCURRENCE_MAX_MS, 1),
    'must be an ISO 8601 duration longer than zero, without years and months, of 31 days at most',
  )
  .meta({ format: 'duration' })

/** Specification: entries of `times`; ours: weekday, day. */
const timeSchema = z.strictObject({
  begin: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a local time HH:MM')
    .describe(
      'The local time in the time zone of the entry. On a DST change, a skipped time begins when the clock jumps forward, and a repeated time begins the first time.',
    ),
  duration: occurrenceDuration.describe(
    'Days and weeks are calendar days, even if a day has 23 or 25 hours; hours and shorter units are elapsed time.',
  ),
  date: z.iso
    .date()
    .refine((date) => date >= '1970' && date < '9999', 'must be a date from 1970 to 9998')
    .optional()
    .describe('The date; only for `one_time`.'),
  weekday: z.int().min(1).max(7).optional().describe('The day of the week, 1 for Monday; only for `weekly`.'),
  day: z
    .int()
    .min(1)
    .max(31)
    .optional()
    .describe('The day of the month; only for `monthly`. Months without this day are skipped.'),
})

/** The field of a time besides its start and duration. */
const DAY_FIELDS = ['date', 'weekday', 'day'] as const
const DAY_FIELD: Readonly<Record<EntryType, (typeof DAY_FIELDS)[number] | null>> = {
  one_time: 'date',
  daily: null,
  weekly: 'weekday',
  monthly: 'day',
  manual: null,
}

/** Specification: entries of `active`. */
export const entryBody = z
  .strictObject({
    type: z.enum(ENTRY_TYPES).describe('`manual` covers the whole time from begin to end.'),
    name: text.nullable().default(null),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be a time zone')
      .optional()
      .describe('The time zone of `times`. Default: the time zone of the service.'),
    times: z.array(timeSchema).max(TIMES_MAX).default([]),
    exception: z.boolean().default(false).describe('True: the entry is subtracted from the other entries.'),
  })
  .superRefine(({ type, times }, issues) => {
    const isEmpty = type === 'manual'
    if (isEmpty !== (times.length === 0)) {
      const message = isEmpty ? 'must be empty for the type manual' : 'must not be empty'
      issues.addIssue({ code: 'custom', path: ['times'], message })
    }
    for (const [index, time] of times.entries()) {
      for (const field of DAY_FIELDS) {
        const isWanted = DAY_FIELD[type] === field
        if (isWanted === (time[field] !== undefined)) continue
        const message = isWanted ? `is required for the type ${type}` : `is not allowed for the type ${type}`
        issues.addIssue({ code: 'custom', path: ['times', index, field], message })
      }
    }
  })

/** Specification: Revaluation; ours: comment, slaRelevant. Read-only fields of the view are ignored, so that a read can
 * be sent back unchanged. */
export const revaluationBody = z
  .strictObject({
    begin: instantQuery,
    end: instantQuery,
    type: z.enum(REVALUATION_TYPES).default('maintenance'),
    adjustTo: z
      .enum(ADJUSTMENTS)
      .default('undefined')
      .describe('The state that an adjustment sets; only for `adjustment`.'),
    incident: text
      .nullable()
      .default(null)
      .describe('The number of a ticket or an incident in another system.'),
    name: text.default(''),
    comment: longText.nullable().default(null),
    slaRelevant: z
      .boolean()
      .default(false)
      .describe(
        'True: service level containers (SLAs) ignore the maintenance, so that downtime in it uses up their credit.',
      ),
    active: z
      .array(entryBody)
      .max(ENTRIES_MAX)
      .default([])
      .describe(
        'When the revaluation applies between begin and end. If there are only exceptions, it applies at all other times.',
      ),
    id: shownOnly,
    objectId: shownOnly,
    objectType: shownOnly,
    created: shownOnly,
    createdBy: shownOnly,
    inPast: shownOnly,
    linkedId: shownOnly,
    status: shownOnly,
    nextBegin: shownOnly,
    nextEnd: shownOnly,
    editOnly: shownOnly,
    warnings: shownOnly,
  })
  .superRefine(({ type, adjustTo, active }, issues) => {
    if ((type === 'adjustment') === (adjustTo === 'undefined')) {
      const message =
        type === 'adjustment' ? 'must be the state of the adjustment' : 'is allowed for adjustments only'
      issues.addIssue({ code: 'custom', path: ['adjustTo'], message })
    }
    if (active.reduce((sum, { times }) => sum + times.length, 0) > TIMES_MAX) {
      const message = `must have at most ${TIMES_MAX} times in all entries together`
      issues.addIssue({ code: 'custom', path: ['active'], message })
    }
  })

export const revaluationView = z
  .object({
    id: z.int(),
    objectId: z.int(),
    objectType: z.enum(OBJECT_TYPES),
    begin: timestamp,
    end: timestamp,
    created: timestamp,
    createdBy: z.int().describe('The id of the user who created the revaluation.'),
    type: z.enum(REVALUATION_TYPES),
    adjustTo: z.enum(ADJUSTMENTS),
    inPast: z
      .boolean()
      .describe('True if the revaluation corrects the past afterwards; false if it applies as time passes.'),
    linkedId: z
      .int()
      .nullable()
      .describe(
        'The other part of a revaluation that was split because its start was in the past when it was entered.',
      ),
    incident: z.string().nullable(),
    name: z.string(),
    comment: z.string().nullable(),
    slaRelevant: z.boolean(),
    active: z.array(
      z.object({
        type: z.enum(ENTRY_TYPES),
        name: z.string().nullable(),
        timezone: z.string(),
        times: z.array(timeSchema),
        exception: z.boolean(),
      }),
    ),
    status: z.enum(STATUSES).describe('`running` while the revaluation applies.'),
    nextBegin: timestamp.nullable().describe('When the revaluation applies next; null for never.'),
    nextEnd: timestamp.nullable().describe('When it ends next; null for never.'),
    editOnly: z.boolean().describe('True if lists contain the revaluation only with `edit=true`.'),
    warnings: z.array(z.object({ code: z.literal('begin_differs'), message: z.string() })),
  })
  .meta({ id: 'Revaluation' })

/** The parameters that all lists of revaluations have. */
export const listedQuery = {
  begin: instantQuery
    .optional()
    .describe('Only revaluations that end after this instant. Default: a day ago.'),
  end: instantQuery.optional().describe('Only revaluations that begin before this instant.'),
  edit: flagQuery.default(false).describe('True: also revaluations whose `editOnly` is true.'),
}

/** Specification: query of the revaluations of a group; ours: end, active, edit, limit, cursor. */
export const revaluationsQuery = z.object({
  ...listedQuery,
  active: flagQuery.default(false).describe('True: only revaluations that apply now.'),
  limit: pageLimit(LISTED_MAX)
    .optional()
    .describe('Number of revaluations in a page; all revaluations if absent.'),
  cursor: linkCursor,
})

export const revaluationPath = z.object({ id: idParam, revaluationId: idParam })

export type RevaluationBody = z.infer<typeof revaluationBody>
export type RevaluationView = z.infer<typeof revaluationView>
export type RevaluationsQuery = z.infer<typeof revaluationsQuery>
