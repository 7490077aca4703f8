import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { shownOnly } from '../../http/openapi-answers.ts'
import { reportText, storableText } from '../../http/text-schemas.ts'
import { durationMs } from '../../lib/duration.ts'
import { parseInstant } from '../../lib/time.ts'
import { objectBodyShape, objectViewShape } from '../tree/schema.ts'
import {
  durationText,
  flappingSchema,
  parametersSchema,
  positiveDuration,
  thresholdsSchema,
  VALUES_MAX,
} from '../job-config/schema.ts'
import { STATES } from '../../domain/state.ts'
import { LEVELS } from '../states/state.ts'
import type { Delivery, Value } from '../../domain/delivery.ts'
import type { UnknownBand } from '../../domain/snapshot.ts'

export const ERROR_CODE_MAX = 2_147_483_647
export const TEXT_MAX = 4096

/** Samples and characters of strings in one series: a series fits one WAL row. */
export const RUN_SAMPLES_MAX = 10_000
export const RUN_TEXT_MAX = 256 * 1024

/** Specification: Job. */
export const jobBody = z.strictObject({
  ...objectBodyShape,
  subType: z.literal('webcollector').default('webcollector'),
  deviceId: z.int().positive().optional().describe('The parent device. A different device moves the job.'),
  collectorId: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'The user with the role collector whose deliveries the job accepts; 0 for the collector of the device.',
    ),
  interval: durationText
    .default('PT0S')
    .describe(
      'How often the sender delivers. Without a timeout, a job without data for two intervals and ten minutes gets `no_data`.',
    ),
  stopped: z
    .boolean()
    .optional()
    .describe(
      'Whether the job is stopped. If absent, an existing job keeps its setting and a new job starts.',
    ),
  parameters: parametersSchema.prefault({}),
  thresholds: thresholdsSchema
    .nullable()
    .default(null)
    .describe(
      'Null keeps the current thresholds; a new job has none. In a merge patch null removes them, and null for a severity removes that one. Any error code other than 0 is at least a `warning` until a limit on ' +
        '`errorCode` exists; error code 5 (no data) is at least a `warning` until a limit is `errorCode = 5` or `errorCode <> 5`.',
    ),
  flapping: flappingSchema
    .nullable()
    .default(null)
    .describe('When the job counts as flapping; null turns flap detection off.'),
  stateForced: z.boolean().default(false).describe('True fixes the state to `currentState`.'),
  currentState: z.enum(STATES).optional(),
  // Read-only fields of the view: they are ignored, so that a read can be sent back unchanged.
  deviceName: shownOnly,
  values: shownOnly,
  message: shownOnly,
  errorCode: shownOnly,
  evaluatedState: shownOnly,
  stateSince: shownOnly,
  lastReceivedAt: shownOnly,
  nextTimeoutAt: shownOnly,
  isFlapping: shownOnly,
  predictions: shownOnly,
  bands: shownOnly,
  limits: shownOnly,
})

/** Why a predicted or adaptive limit is unknown. */
const UNKNOWN = ['too_few', 'constant', 'stale'] as const satisfies readonly UnknownBand[]

/** An instant with an offset. */
export const instant = z
  .string()
  .max(64)
  .refine(isInstant, 'must be an ISO 8601 date-time with Z or an offset')
  .meta({ format: 'date-time' })

/** The id that matches the start of a run with its end. */
export const runIdText = storableText.min(1).max(64)

export const currentValue = z.object({
  value: z
    .union([z.number(), z.string()])
    .describe('The value in user units: the raw number divided by `valueDivisor`.'),
  rawValue: z.union([z.number(), z.string()]),
  timestamp,
})

export const jobView = z
  .object({
    ...objectViewShape,
    deviceId: z.int(),
    deviceName: z.string(),
    collectorId: z.int(),
    interval: z.string(),
    stopped: z.boolean(),
    parameters: parametersSchema,
    currentState: z
      .enum(STATES)
      .describe('The state as in the tree: with the prefix `maintenance_` during maintenance.'),
    evaluatedState: z
      .enum(STATES)
      .describe(
        'The state from the values alone, without maintenance; answers to deliveries give this state.',
      ),
    stateForced: z.boolean(),
    stateSince: timestamp.nullable().describe('When the current state began.'),
    errorCode: z.int().describe('The error code of the latest delivery; 0 for none, 5 for missing data.'),
    message: z
      .string()
      .nullable()
      .describe('The message of the latest delivery, or since when there is no data.'),
    lastReceivedAt: timestamp.nullable().describe('When the latest delivery arrived.'),
    nextTimeoutAt: timestamp.nullable().describe('When the job times out without another delivery.'),
    flapping: flappingSchema.nullable(),
    isFlapping: z.boolean().describe('Whether the job is flapping: its state changes too often.'),
    thresholds: thresholdsSchema.nullable().describe('Null unless the query has `thresholds=true`.'),
    predictions: z
      .array(
        z.object({
          severity: z.enum(LEVELS),
          condition: z.int().describe('The place of the condition in its severity, from 0.'),
          unknown: z
            .literal('too_few')
            .nullable()
            .describe(
              '`too_few`: fewer than 10 points, or they cover less than half of the window; or a forecast has no bucket in the time ahead.',
            ),
          value: z.number().nullable().describe('The predicted value at the end of the look-ahead.'),
          at: timestamp.nullable().describe('The end of the look-ahead.'),
          crossesAt: timestamp
            .nullable()
            .describe('When the predicted value first meets the condition; null if it does not.'),
        }),
      )
      .nullable()
      .describe('One for each condition with `inFuture`; null unless the query has `thresholds=true`.'),
    bands: z
      .array(
        z.object({
          severity: z.enum(LEVELS),
          condition: z.int().describe('The place of the condition in its severity, from 0.'),
          unknown: z
            .enum(UNKNOWN)
            .nullable()
            .describe(
              '`too_few`: the history is too short. `constant`: its values do not vary. `stale`: the usual values are too old.',
            ),
          lower: z
            .number()
            .nullable()
            .describe('The least usual value, in user units; null without a bound.'),
          upper: z.number().nullable().describe('The greatest usual value.'),
          begin: timestamp.nullable().describe('From when these bounds apply.'),
          end: timestamp.nullable().describe('Until when they apply.'),
          madeAt: timestamp.nullable().describe('When the usual values were computed last.'),
        }),
      )
      .nullable()
      .describe(
        'The usual values at the latest value, one for each condition with `adaptiveValues`; null unless the query has `thresholds=true`.',
      ),
    limits: z.object({
      unknown: z
        .enum(UNKNOWN)
        .nullable()
        .describe('Why a predicted or adaptive limit is unknown; null while all limits are known.'),
    }),
    values: z
      .record(z.string(), currentValue)
      .nullable()
      .describe('The current values; null unless the query has `values=true`.'),
  })
  .meta({ id: 'Job' })

const VALUE_KEY = /^(?:returnValue|stringValue)([1-9]\d?)$/

/** The key of a value of a job. */
export const valueKey = z
  .string()
  .refine(
    (key) => Number(VALUE_KEY.exec(key)?.[1] ?? Number.NaN) <= VALUES_MAX,
    'must be returnValueN or stringValueN',
  )

/** One value of a delivery. */
export const sampleValue = z.union([z.number(), storableText.max(TEXT_MAX)])

/** Specification: body of the webhook delivery, either form; ours: timestamp, message, ttl, runId, signal. */
export const deliveryBody = z
  .object({
    returnValue: z
      .array(z.number())
      .max(VALUES_MAX)
      .optional()
      .describe('All numeric values in order, instead of `returnValueN`.'),
    errorCode: z
      .int()
      .min(0)
      .max(ERROR_CODE_MAX)
      .optional()
      .describe('0 for success. If absent, the job keeps its error code.'),
    timestamp: instant.optional().describe('When the values were measured; if absent, now.'),
    message: reportText
      .max(TEXT_MAX)
      .optional()
      .describe('A text for people; the job shows it until the next delivery.'),
    ttl: positiveDuration.optional().describe('Time to live: replaces the timeout until the next delivery.'),
    runId: runIdText.optional().describe('Matches the end of a run with its start.'),
    signal: z
      .enum(['result', 'start', 'log'])
      .default('result')
      .describe('`result`: values or an error code. `start`: a run starts. `log`: only a message.'),
  })
  .catchall(sampleValue)
  .superRefine(
    (body, issues) => {
      const hasArray = body.returnValue !== undefined
      const mayCarry = body.signal !== 'start' && body.signal !== 'log'
      for (const key in body) {
        if (KNOWN.has(key)) continue
        const fault =
          valueFault(key, body[key], hasArray) ?? (mayCarry ? null : 'is allowed only with the signal result')
        if (fault !== null) issues.addIssue({ code: 'custom', path: [key], message: fault })
      }
      if (hasArray && !mayCarry)
        issues.addIssue({
          code: 'custom',
          path: ['returnValue'],
          message: 'is allowed only with the signal result',
        })
      if (mayCarry && isEmpty(body)) issues.addIssue({ code: 'custom', path: [], message: EMPTY })
    },
    // Runs for a body with other faults too, so that the answer has all faults.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .meta({
    id: 'Delivery',
    examples: [{ returnValue1: 21.5, errorCode: 0 }],
    description:
      'Send numbers as `returnValue1`, `returnValue2` … or together in `returnValue`, and strings as `stringValue1` …. Numbers are doubles: ' +
      'an integer beyond ±2^53 becomes the nearest double, and -0 is returned as 0.',
  })

const EMPTY = 'must have a value or an errorCode, or the signal start or log'

/** Whether a body has neither a value nor an error code. */
function isEmpty({ returnValue, errorCode, ...rest }: Readonly<Record<string, unknown>>): boolean {
  const hasNone = returnValue === undefined || (Array.isArray(returnValue) && returnValue.length === 0)
  if (errorCode !== undefined || !hasNone) return false
  return Object.keys(rest).every((key) => KNOWN.has(key))
}

const KNOWN = new Set(['returnValue', 'errorCode', 'timestamp', 'message', 'ttl', 'runId', 'signal'])

/** Advice to the sender of an accepted delivery. */
export const deliveryWarning = z.object({ code: z.literal('error_code_stands'), message: z.string() })

export const deliveredView = z
  .object({
    jobId: z.int(),
    accepted: z.int().describe('Number of values stored; 0 for a heartbeat or an error code without values.'),
    timestamp,
    late: z
      .boolean()
      .describe(
        'Whether the values are older than the newest delivery. Late values are stored but do not change the state.',
      ),
    state: z
      .enum(STATES)
      .describe('The state from the values alone: the `evaluatedState` of the job, also during maintenance.'),
    errorCode: z.int().describe('The error code of the job after the delivery; 0 for none.'),
    nextTimeoutAt: timestamp
      .nullable()
      .describe('When the job times out without another delivery; null if it has no timeout.'),
    warnings: z
      .array(deliveryWarning)
      .optional()
      .describe(
        '`error_code_stands`: the delivery has no errorCode, so the job stays in error code 5 (no data).',
      ),
  })
  .meta({ id: 'Delivered' })

export type JobBody = z.infer<typeof jobBody>
export type JobView = z.infer<typeof jobView>
export type DeliveryBody = z.infer<typeof deliveryBody>

/** The delivery of a body in either form. */
export function deliveryOf(body: DeliveryBody): Delivery {
  const values: Record<string, Value> = {}
  body.returnValue?.forEach((value, index) => (values[`returnValue${index + 1}`] = value))
  for (const key in body) if (!KNOWN.has(key)) values[key] = body[key] as Value
  return {
    signal: body.signal,
    values,
    errorCode: body.errorCode ?? null,
    timestampAt: body.timestamp === undefined ? null : parseInstant(body.timestamp),
    message: body.message ?? null,
    ttlMs: body.ttl === undefined ? null : durationMs(body.ttl),
    runId: body.runId ?? null,
  }
}

/** The fault of one value of a delivery; null if it has none. */
export function valueFault(key: string, value: unknown, hasArray: boolean): string | null {
  const index = VALUE_KEY.exec(key)?.[1]
  if (index === undefined || Number(index) > VALUES_MAX) return 'is not a known field'
  if (key.startsWith('stringValue')) return typeof value === 'string' ? null : 'must be a string'
  if (hasArray) return 'must not be sent together with returnValue'
  return typeof value === 'number' ? null : 'must be a number'
}

function isInstant(text: string): boolean {
  try {
    return Number.isSafeInteger(parseInstant(text))
  } catch {
    return false
  }
}
