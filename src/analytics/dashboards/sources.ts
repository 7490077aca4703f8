import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { reference } from './parts.ts'

const COLUMN_MAX = 255
const GROUP_COLUMNS_MAX = 10
const AHEAD_MAX_MS = 3_650 * DAY_MS

/** The key of a value of a job. */
export const key = z
  .string()
  .regex(/^(errorCode|(returnValue|stringValue)[1-9]\d?)$/, 'must be returnValueN, stringValueN or errorCode')
/** The name of a column of a data query. */
export const column = storableText.min(1).max(COLUMN_MAX)

const groupValue = z.union([storableText.max(1_000), z.number(), z.boolean(), z.null()])
const group = z
  .record(column, groupValue)
  .refine(
    (values) => Object.keys(values).length <= GROUP_COLUMNS_MAX,
    `must have at most ${GROUP_COLUMNS_MAX} columns`,
  )
  .default({})
  .describe('The values of all group columns of the forecast; none for its first group.')
  .meta({ examples: [{ region: 'north' }] })

export const forecast = z
  .strictObject({ forecastId: reference, group })
  .nullable()
  .default(null)
  .describe('The forecast that is drawn behind the last value; null for none.')

/** Where a single value comes from. */
export const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('job'), jobId: reference, key: key.default('returnValue1') }),
  z.strictObject({
    type: z.literal('dataQuery'),
    dataQueryId: reference,
    column,
    aggregate: z
      .enum(['first', 'last', 'sum', 'avg', 'min', 'max', 'count'])
      .default('first')
      .describe('How the rows of the data query become one value.'),
  }),
  z.strictObject({
    type: z.literal('forecast'),
    forecastId: reference,
    group,
    ahead: z
      .string()
      .max(64)
      .refine(
        (length) => isFixedDuration(length, AHEAD_MAX_MS),
        'must be an ISO 8601 duration of at most 3650 days',
      )
      .default('PT0S')
      .describe('How far after now the predicted value is; without years and months.')
      .meta({ format: 'duration' }),
  }),
])
