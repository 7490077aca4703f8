import * as z from 'zod'
import { flagQuery, idParam } from '../../http/openapi-answers.ts'
import { rangeQuery, timestamp } from '../../http/instants.ts'
import { pageLimit } from '../../http/paging.ts'
import { isTemporalDuration } from '../../lib/duration.ts'
import { ROLLUP_MODES } from '../../timeseries/bucket-sums.ts'

const KEYS_MAX = 16
const SAMPLES_MAX = 10_000
const JOBS_MAX = 100

const DEFAULT_SCALE =
  'The length of a bucket. Default: a round length with about 200 buckets in the range, aligned to the clock.'

const key = z
  .string()
  .regex(/^(errorCode|(returnValue|stringValue)[1-9]\d?)$/, 'must be returnValueN, stringValueN or errorCode')

const seriesQuery = {
  ...rangeQuery,
  scale: z
    .string()
    .max(64)
    .refine(isTemporalDuration, 'must be an ISO 8601 duration')
    .meta({ format: 'duration' })
    .optional()
    .describe(DEFAULT_SCALE),
  key: z
    .union([key, z.array(key).min(1).max(KEYS_MAX)])
    .default('returnValue1')
    .describe('The key of the value; can be repeated.'),
  mode: z.enum(ROLLUP_MODES).default('avg').describe('The aggregate that a bucket has as its `value`.'),
  values: flagQuery.default(true).describe('False: only the aggregate is returned.'),
}

/** Specification: query of the value history; `key` may be repeated. */
export const historyQuery = z.object({
  ...seriesQuery,
  scale: seriesQuery.scale.describe(`${DEFAULT_SCALE} PT0S returns single samples.`),
  cursor: z.string().max(64).optional().describe('The `nextCursor` of the previous page; for PT0S.'),
  limit: pageLimit(SAMPLES_MAX).default(SAMPLES_MAX).describe('The number of samples per page; for PT0S.'),
})

/** Query of `GET /value-history`: the value histories of many jobs, in buckets. */
export const historiesQuery = z.object({
  jobId: z
    .union([idParam, z.array(idParam).min(1).max(JOBS_MAX)])
    .describe(`The job; can be repeated for up to ${JOBS_MAX} jobs.`),
  ...seriesQuery,
})

const value = z.number().nullable()

const bucket = z.object({
  timestamp: timestamp.describe('The begin of the bucket.'),
  value: value.describe('The value of the bucket in the `mode` of the series; null if it has no samples.'),
  min: value.describe('The smallest sample of the bucket.'),
  max: value.describe('The largest sample of the bucket.'),
  count: z.int().describe('The number of samples in the bucket.'),
})
const sample = z.object({ timestamp, value: z.union([z.number(), z.string()]) })

export const seriesView = z
  .object({
    jobId: z.int(),
    key: z.string(),
    name: z.string(),
    unit: z.string(),
    precision: z.int().nullable().describe('The number of decimals for display; the values are not rounded.'),
    mode: z.enum(ROLLUP_MODES),
    scale: z.string(),
    begin: timestamp,
    end: timestamp,
    values: z
      .union([z.array(bucket), z.array(sample)])
      .optional()
      .describe(
        'Buckets (an empty bucket has the value null), or samples for PT0S. Of string values only the samples that change the value are returned.',
      ),
    aggregate: z
      .object({
        min: value.describe('The smallest sample.'),
        max: value.describe('The largest sample.'),
        avg: value.describe('The mean of all samples.'),
        last: value.describe('The latest sample.'),
        count: z.int().describe('The number of samples.'),
        sum: value.describe('The sum of all samples; null if it is beyond the range of a double (±1.8e308).'),
      })
      .optional()
      .describe('The aggregates of the whole range; absent for single samples (`PT0S`).'),
    nextCursor: z.string().nullable().optional(),
  })
  .meta({ id: 'Series' })

export type HistoryQuery = z.infer<typeof historyQuery>
export type HistoriesQuery = z.infer<typeof historiesQuery>
export type BucketView = z.infer<typeof bucket>
type SampleView = z.infer<typeof sample>
export type SeriesView = Omit<z.infer<typeof seriesView>, 'values'> & {
  readonly values?: readonly BucketView[] | readonly SampleView[] | undefined
}
