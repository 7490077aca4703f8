import * as z from 'zod'
import { shownOnly } from '../../http/openapi-answers.ts'
import { instantQuery } from '../../http/instants.ts'
import { isTimeZone } from '../../lib/time.ts'
import { STATES } from '../states/state.ts'
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
const timestamp = z.iso.datetime({ offset: true })
const zone = z.string().max(ZONE_MAX).refine(isTimeZone, 'must be a time zone')
const unit = z.enum(PERIOD_UNITS)

const activeWindow = z
  .strictObject({
    days: z.array(z.enum(DAYS)).min(1).max(DAYS.length),
    begin: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a local time HH:MM'),
    end: z
      .string()
      .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a local time HH:MM, 24:00 at most'),
  })
  .refine(({ begin, end }) => minutesOf(begin) < minutesOf(end), {
    path: ['end'],
    message: 'must be later than the begin; what goes past midnight is two windows',
  })

const activeTime = z
  .array(activeWindow)
  .min(1)
  .max(WINDOWS_MAX)
  .nullable()
  .describe('Windows of each week in local time; null is always. What is not active is neither good nor bad.')

/** Specification: service level container. */
export const slcBody = z.strictObject({
  ...objectBodyShape,
  subType: z.enum(SUB_TYPES).optional().describe('`sla` at first; stays as it is when absent.'),
  duration: unit.optional().describe('How long a period is; `month` when absent. Stays for good.'),
  resetInterval: unit
    .optional()
    .describe(
      'When the next period comes: with the calendar, as long as the duration, when absent; `day` or `month` when shorter, then periods float. Stays for good.',
    ),
  timezone: zone.optional().describe("The service's when absent. Stays for good."),
  limit: percent.describe('How much of the active time must be good, in percent.'),
  target: percent.nullable().default(null).describe('What is hoped for; only shown.'),
  activeTime: activeTime.default(null),
  warnAt: percent
    .refine((value) => value > 0, 'must be more than 0')
    .default(80)
    .describe('At how many percent of the credit it becomes minor.'),
  // What a read answers beyond the fields above may be sent back unchanged.
  currentState: shownOnly,
  hasChildren: shownOnly,
  values: shownOnly,
})

const seconds = z.number()
const creditShape = {
  percent: z
    .number()
    .nullable()
    .describe('The good part of the active time, floored to three decimals; null where there is none.'),
  creditTotal: seconds.describe('Seconds that may be bad in the period.'),
  creditUsed: seconds,
  creditLeft: seconds.describe('Negative once more was used than there was.'),
}

const values = z.object({
  period: z.object({ begin: timestamp, end: timestamp }).describe('The current period; half-open.'),
  ...creditShape,
  burnRate1h: z
    .number()
    .nullable()
    .describe(
      'How many times faster than the limit allows the credit was used in the last hour; null where nothing was active or nothing is allowed.',
    ),
  burnRate6h: z.number().nullable(),
  projectedBreachAt: timestamp
    .nullable()
    .describe(
      'When the credit is used up at the pace of the last six hours, if that is in this period and not over.',
    ),
})

export const slcView = z
  .object({
    ...objectViewShape,
    duration: unit,
    resetInterval: unit,
    timezone: z.string(),
    limit: z.number(),
    target: z.number().nullable(),
    activeTime: z
      .array(z.object({ days: z.array(z.enum(DAYS)), begin: z.string(), end: z.string() }))
      .nullable(),
    warnAt: z.number(),
    currentState: z.enum(STATES),
    hasChildren: z.boolean(),
    values,
  })
  .meta({ id: 'Slc' })

const periodView = z.object({
  period: z.object({ begin: timestamp, end: timestamp }),
  limit: z.number(),
  target: z.number().nullable(),
  revisions: z
    .array(
      z.object({
        revision: z.int(),
        state: z.enum(['ok', 'minor', 'major']).describe('As the period ended.'),
        ...creditShape,
        created: timestamp,
        author: z.string().nullable().describe('Null for the first, which the end of the period made.'),
        reason: z.string().nullable(),
      }),
    )
    .describe('The latest last; none is ever changed.'),
})

export const periodsView = z.object({ items: z.array(periodView) }).meta({ id: 'SlcPeriods' })

export const periodsQuery = z.object({
  limit: pageLimit(PAGE_MAX, PAGE_MAX),
  cursor: pageQuery.cursor,
})

/** Which frozen periods are calculated anew, and why. */
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
export type RecalculationBody = z.infer<typeof recalculationBody>

function isScaled(value: number): boolean {
  return Number(value.toFixed(PERCENT_DECIMALS)) === value
}
