import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'
import { NUMBER_OPERATORS, TEXT_OPERATORS } from '../states/comparison.ts'
import { adaptiveFaults, adaptiveSchema } from './adaptive.ts'
import { isDuration, positiveDuration } from './durations.ts'

export { durationText, positiveDuration } from './durations.ts'

export const VALUES_MAX = 64
const CONDITIONS_MAX = 32

/** The bounds of a retention: a day, and 36,600 days. */
const RETENTION_MIN_MS = 86_400_000
const RETENTION_MAX_MS = 36_600 * 86_400_000

const span = z
  .string()
  .max(64)
  .refine(isRetention, 'must be an ISO 8601 duration from P1D to P36600D, without years and months')
  .meta({ format: 'duration' })

const retention = z
  .strictObject({
    raw: span.default('P400D').describe('How long single values are kept.'),
    minutes: span
      .default('P800D')
      .describe('How long sums over five minutes are kept; only frequent values have them.'),
    hours: span.default('P3660D').describe('How long hourly sums are kept.'),
  })
  .superRefine(({ raw, minutes, hours }, issues) => {
    const fault = (path: string, other: string) =>
      issues.addIssue({ code: 'custom', path: [path], message: `must not be shorter than ${other}` })
    if (![raw, minutes, hours].every(isRetention)) return
    if (durationMs(minutes) < durationMs(raw)) fault('minutes', 'raw')
    if (durationMs(hours) < durationMs(minutes)) fault('hours', 'minutes')
  })

const label = storableText.max(255)

const returnValue = z.strictObject({
  valueName: label.min(1),
  valueUnit: label.default(''),
  valueDivisor: z.number().positive().default(1).describe('User values are raw values divided by this.'),
  valuePrecision: z.int().min(0).max(20).optional().describe('The number of decimals for display.'),
  valueDescription: storableText.max(4000).default(''),
})

const stringValue = z.strictObject({
  valueName: label.min(1),
  valueUnit: label.default(''),
  valueDescription: storableText.max(4000).default(''),
})

/** Specification: parameters of a webhook job, and its configuration (timeout, values, string values). */
export const parametersSchema = z.strictObject({
  intervalMode: z
    .int()
    .min(0)
    .max(2)
    .default(0)
    .describe('0: at any time; 1: at a fixed interval; 2: aligned to the clock.'),
  filename: label.default(''),
  timeout: positiveDuration
    .nullable()
    .default(null)
    .describe('Timeout: after this long without a delivery the job gets error code 5 (no data).'),
  grace: positiveDuration
    .nullable()
    .default(null)
    .describe('Maximum run time: how long a run may last after `signal: start`.'),
  healsOnData: z
    .boolean()
    .default(false)
    .describe(
      'True: any value ends error code 5 (no data). False: only a delivery with an errorCode ends it.',
    ),
  returnValue: z.array(returnValue).max(VALUES_MAX).default([]),
  stringValue: z.array(stringValue).max(VALUES_MAX).default([]),
  retention: retention
    .prefault({})
    .describe(
      'How long received values are kept. Older buckets are computed from the sums of `minutes` and `hours`.',
    ),
})

/** The bounds of the window of a prediction. */
export const WINDOW_MIN_MS = 10 * 60_000
export const WINDOW_MAX_MS = 90 * 86_400_000

const lookAhead = positiveDuration
  .refine((text) => !isDuration(text) || durationMs(text) <= WINDOW_MAX_MS, 'must be at most P90D')
  .meta({ format: 'duration' })

const inFuture = z.union([
  lookAhead,
  z
    .strictObject({
      within: lookAhead.describe('How far the condition looks ahead.'),
      method: z
        .enum(['linear', 'forecast'])
        .default('linear')
        .describe(
          '`linear`: the least-squares line through the first value of each 64th of the window. `forecast`: the ' +
            'buckets of a forecast that overlap the time ahead.',
        ),
      window: positiveDuration
        .refine(
          (text) =>
            !isDuration(text) || (durationMs(text) >= WINDOW_MIN_MS && durationMs(text) <= WINDOW_MAX_MS),
          'must be from PT10M to P90D',
        )
        .optional()
        .meta({ format: 'duration' })
        .describe('The time whose values make the line; by default four times `within`, from PT10M to P90D.'),
      forecastId: z
        .int()
        .positive()
        .optional()
        .describe('The forecast, of which `bands` or the source names the job and the value.'),
      bound: z
        .enum(['mean', 'lower', 'upper'])
        .optional()
        .describe('The value of the forecast that is compared; by default `mean`.'),
      level: z
        .int()
        .min(50)
        .max(99)
        .optional()
        .describe('The level of the forecast whose bound is compared; by default 95.'),
    })
    .superRefine(({ method, window, ...forecast }, issues) => {
      const fault = (path: string, message: string) =>
        issues.addIssue({ code: 'custom', path: [path], message })
      if (method === 'forecast') {
        if (window !== undefined) fault('window', 'is for the method linear')
        if (forecast.forecastId === undefined) fault('forecastId', 'is missing')
        return
      }
      for (const name of ['forecastId', 'bound', 'level'] as const)
        if (forecast[name] !== undefined) fault(name, 'is for the method forecast')
    }),
])

const repetition = z
  .int()
  .min(0)
  .max(10_000)
  .default(1)
  .describe('How many values in a row are needed; 0 counts as 1.')
const limit = z.union([z.number(), storableText.max(4096)])

type Predicted = {
  readonly key: string
  readonly operator: string
  readonly inFuture: unknown
  readonly adaptiveValues: { readonly side?: 'both' | 'above' | 'below' | undefined } | null
}

/** The faults of a condition with `inFuture` or `adaptiveValues`. */
function predictionFaults({ key, operator, inFuture: ahead, adaptiveValues: adaptive }: Predicted) {
  const faults: [path: string[], message: string][] = []
  const isNumber = key.startsWith('returnValue')
  if (!isNumber && ahead !== null) faults.push([['inFuture'], 'is allowed for numbers only'])
  if (!isNumber && adaptive !== null) faults.push([['adaptiveValues'], 'is allowed for numbers only'])
  if (isNumber && adaptive !== null) faults.push(...adaptiveFaults(operator, adaptive.side))
  if (ahead === null) return faults
  if (adaptive !== null) faults.push([['adaptiveValues'], 'is not allowed with inFuture'])
  if (isNumber && (operator === '=' || operator === '<>'))
    faults.push([['operator'], 'is not allowed with inFuture: a prediction equals nothing'])
  return faults
}

const condition = z
  .strictObject({
    key: z
      .string()
      .regex(
        /^(errorCode|(returnValue|stringValue)[1-9]\d?)$/,
        'must be errorCode, returnValueN or stringValueN',
      )
      .describe('The value that is compared.'),
    operator: z
      .enum([...new Set([...NUMBER_OPERATORS, ...TEXT_OPERATORS])])
      .describe('How the value is compared with `value`.'),
    value: limit.describe('The limit: a number, or a text for string values.'),
    repetition,
    inFuture: inFuture
      .nullable()
      .default(null)
      .describe(
        'How far the condition looks ahead: it is met when `operator` holds between `value` and a predicted value in ' +
          'that time. The prediction needs 10 points over half of its window; until then the condition stays as it is. ' +
          'A duration is short for an object with `within`.',
      ),
    adaptiveValues: adaptiveSchema
      .nullable()
      .default(null)
      .describe(
        'An adaptive limit: the condition is met by a value outside of the usual values of its time. `value` is stored and ' +
          'not compared. While the limit is unknown, the condition stays as it is.',
      ),
    recovery: z
      .strictObject({ value: limit, repetition })
      .nullable()
      .default(null)
      .describe(
        'The condition holds until this many values in a row no longer breach this value (hysteresis).',
      ),
  })
  .superRefine((input, issues) => {
    const isText = input.key.startsWith('stringValue')
    const operators: readonly string[] = isText ? TEXT_OPERATORS : NUMBER_OPERATORS
    const fault = (path: string[], message: string) => issues.addIssue({ code: 'custom', path, message })
    if (!operators.includes(input.operator))
      fault(['operator'], `is not an operator for ${isText ? 'strings' : 'numbers'}`)
    const type = isText ? 'string' : 'number'
    if (typeof input.value !== type) fault(['value'], `must be a ${type} for this key`)
    if (input.recovery && typeof input.recovery.value !== type)
      fault(['recovery', 'value'], `must be a ${type} for this key`)
    for (const [path, message] of predictionFaults(input)) fault(path, message)
  })

const level = z.strictObject({
  mode: z.enum(['or', 'and']).default('or').describe('Whether any or all conditions must hold.'),
  conditions: z.array(condition).max(CONDITIONS_MAX).describe('The comparisons with limits.'),
})

/** Specification: thresholds, by severity level. */
export const thresholdsSchema = z.strictObject({
  major: level.optional(),
  minor: level.optional(),
  warning: level.optional(),
})

const percentage = z.number().min(0).max(100)

/** When a job counts as flapping. */
export const flappingSchema = z
  .strictObject({
    startPercent: percentage
      .default(30)
      .describe(
        'The job starts flapping when the weighted share of state changes in its last 20 results is above this.',
      ),
    endPercent: percentage.default(25).describe('The job stops flapping when that share is below this.'),
  })
  .superRefine(({ startPercent, endPercent }, issues) => {
    if (endPercent <= startPercent) return
    issues.addIssue({ code: 'custom', path: ['endPercent'], message: 'must not be more than startPercent' })
  })

export type Parameters = z.infer<typeof parametersSchema>
export type ThresholdsBody = z.infer<typeof thresholdsSchema>

function isRetention(text: string): boolean {
  return isFixedDuration(text, RETENTION_MAX_MS, RETENTION_MIN_MS)
}
