import * as z from 'zod'
import { shownOnly } from '../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../http/instants.ts'
import { isTimeZone } from '../../lib/time.ts'
import { STATES } from '../../domain/state.ts'
import { pageLimit, pageQuery } from '../tree/search/schema.ts'
import { storableText } from '../../http/text-schemas.ts'
import { objectBodyShape, objectViewShape } from '../tree/schema.ts'
import { DAYS, minutesOf } from './active-time.ts'
import { PERCENT_DECIMALS } from './credit.ts'
import { PERIOD_UNITS } from './periods.ts'

const WINDOWS_MAX = 100
const ZONE_MAX = 64
const REASON_MAX = 4_000
const PAGE_MAX = 100

const SUB_TYPES = ['sla', 'ola', 'uc'] as const

const percent = z.number().min(0).max(100).refine(isScaled, `must have ${PERCENT_DECIMALS} decimals at most`)
const zone = z.string().max(ZONE_MAX).refine(isTimeZone, 'must be a time zone')
const unit = z.enum(PERIOD_UNITS)

const activeWindow = z
  .strictObject({
    days: z.array(z.enum(DAYS)).min(1).max(DAYS.length),
    begin: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a local time HH:MM'),
    end: z
      .string()
      .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a local time HH:MM, at most 24:00'),
  })
  .refine(({ begin, end }) => minutesOf(begin) < minutesOf(end), {
    path: ['end'],
    message: 'must be later than the begin; split a window that passes midnight into two',
  })

const activeTime = z
  .array(activeWindow)
  .min(1)
  .max(WINDOWS_MAX)
  .nullable()
  .describe(
    'The service hours: weekly windows in local time; null for always. Time outside of them does not count.',
  )

/** Specification: service level container. */
export const slcBody = z.strictObject({
  ...objectBodyShape,
  subType: z
    .enum(SUB_TYPES)
    .optional()
    .describe('If absent, the value stays unchanged; a new container has `sla`.'),
  duration: unit.optional().describe('The length of a period; `month` if absent. Cannot be changed later.'),
  resetInterval: unit
    .optional()
    .describe(
      'How often a period begins; if absent, as often as `duration`, with the calendar. If it is shorter than `duration` (`day` or `month`), the periods overlap (rolling windows). Cannot be changed later.',
    ),
  timezone: zone
    .optional()
    .describe(
      'The time zone of the periods; if absent, the time zone of the service. Cannot be changed later.',
    ),
  limit: percent.describe('The agreed availability (SLA), in percent of the active time.'),
  target: percent
    .nullable()
    .default(null)
    .describe('The desired availability (SLO), in percent; for display only.'),
  activeTime: activeTime.default(null),
  warnAt: percent
    .refine((value) => value > 0, 'must be more than 0')
    .default(80)
    .describe('The container becomes `minor` when this percentage of the credit (error budget) is used.'),
  // Read-only fields of the view: they are ignored, so that a read can be sent back unchanged.
  currentState: shownOnly,
  hasChildren: shownOnly,
  values: shownOnly,
})

const seconds = z.number()
const creditShape = {
  percent: z
    .number()
    .nullable()
    .describe(
      'The availability in percent of the active time, rounded down to three decimals; null if no time was active.',
    ),
  creditTotal: seconds.describe(
    'The credit (error budget) of the period: how many seconds of downtime the limit allows.',
  ),
  creditUsed: seconds.describe('The seconds of downtime so far.'),
  creditLeft: seconds.describe('The remaining seconds; negative after a breach.'),
}

const values = z.object({
  period: z
    .object({ begin: timestamp, end: timestamp })
    .describe('The current period: from `begin` up to, but not including, `end`.'),
  ...creditShape,
  burnRate1h: z
    .number()
    .nullable()
    .describe(
      'How many times faster than the limit allows the credit was used in the last hour; null if no time was active or the limit is 100.',
    ),
  burnRate6h: z.number().nullable().describe('The same for the last six hours.'),
  projectedBreachAt: timestamp
    .nullable()
    .describe(
      'When the credit will be used up at the rate of the last six hours; null if that is not within the rest of this period.',
    ),
})

export const slcView = z
  .object({
    ...objectViewShape,
    duration: unit,
    resetInterval: unit,
    timezone: z.string(),
    limit: z.number().describe('The agreed availability (SLA), in percent of the active time.'),
    target: z.number().nullable().describe('The desired availability (SLO), in percent; for display only.'),
    activeTime: z
      .array(z.object({ days: z.array(z.enum(DAYS)), begin: z.string(), end: z.string() }))
      .nullable(),
    warnAt: z
      .number()
      .describe('The container becomes `minor` when this percentage of the credit (error budget) is used.'),
    currentState: z.enum(STATES),
    hasChildren: z.boolean(),
    values,
  })
  .meta({ id: 'Slc' })

const periodView = z.object({
  period: z.object({ begin: timestamp, end: timestamp }),
  limit: z.number().describe('The agreed availability (SLA) in this period, in percent of the active time.'),
  target: z.number().nullable().describe('The desired availability (SLO) in this period, in percent.'),
  revisions: z
    .array(
      z.object({
        revision: z.int().describe('The number of the revision, from 1.'),
        state: z.enum(['ok', 'minor', 'major']).describe('The state at the end of the period.'),
        ...creditShape,
        created: timestamp,
        author: z
          .string()
          .nullable()
          .describe(
            'The user who recalculated the period; null for the first revision, which the service made at the end of the period.',
          ),
        reason: z.string().nullable(),
      }),
    )
    .describe('The revisions, latest last. A revision never changes.'),
})

export const periodsView = z.object({ items: z.array(periodView) }).meta({ id: 'SlcPeriods' })

export const periodsQuery = z.object({
  limit: pageLimit(PAGE_MAX, PAGE_MAX),
  cursor: pageQuery.cursor,
})

export const burnQuery = z.object({
  at: instantQuery
    .optional()
    .describe(
      'An instant in the period. Default: now. With overlapping periods it is the one that was current then.',
    ),
})

export const burnView = z
  .object({
    period: z
      .object({ begin: timestamp, end: timestamp })
      .describe('From `begin` up to, but not including, `end`.'),
    limit: z
      .number()
      .describe('The agreed availability (SLA) in this period, in percent of the active time.'),
    warnAt: z
      .number()
      .describe('The container becomes `minor` when this percentage of the credit (error budget) is used.'),
    creditTotal: creditShape.creditTotal,
    points: z
      .array(
        z.object({
          timestamp,
          creditUsed: seconds.describe('The seconds of downtime from the begin of the period up to here.'),
          creditEven: seconds.describe(
            'The seconds that an even use would have used up to here: the share of the active time that has passed, of the credit.',
          ),
        }),
      )
      .describe('At most 241 points at equal distances, from the begin of the period to its end or to now.'),
  })
  .meta({ id: 'SlcBurn' })

/** Which frozen periods to recalculate, and why. */
export const recalculationBody = z.strictObject({
  begin: instantQuery,
  end: instantQuery,
  reason: storableText.trim().min(1).max(REASON_MAX),
})

export type SlcBody = z.infer<typeof slcBody>
export type SlcView = z.infer<typeof slcView>
export type SlcValues = z.infer<typeof values>
export type PeriodView = z.infer<typeof periodView>
export type PeriodsQuery = z.infer<typeof periodsQuery>
export type BurnQuery = z.infer<typeof burnQuery>
export type BurnView = z.infer<typeof burnView>
export type RecalculationBody = z.infer<typeof recalculationBody>

function isScaled(value: number): boolean {
  return Number(value.toFixed(PERCENT_DECIMALS)) === value
}
