import * as z from 'zod'
import { durationMs } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { isDuration, positiveDuration } from './durations.ts'
import { isJsonObject } from '../../lib/json.ts'

/** The widths of cells of a season. */
const BUCKETS = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1_440].map(
  (minutes) => minutes * 60_000,
)
/** The most cells of a season, and buckets in a window. */
const CELLS_MAX = 336
const BUCKETS_MAX = 10_000
const BUCKETS_MIN = 3

const bucket = positiveDuration
  .refine(
    (text) => !isDuration(text) || BUCKETS.includes(durationMs(text)),
    'must be 5, 10, 15, 20 or 30 minutes, or 1, 2, 3, 4, 6, 8, 12 or 24 hours',
  )
  .meta({ format: 'duration' })

const adaptiveFields = z.strictObject({
  source: z.literal('history').default('history').describe('The history of the job has the usual values.'),
  window: positiveDuration
    .default('P28D')
    .describe('How far back the usual values are looked up: from 3 to 10,000 times `bucket`.'),
  season: z
    .enum(['none', 'day', 'week'])
    .default('week')
    .describe(
      'The earlier values to compare with: all, the same time of the day, or the same time of the week.',
    ),
  bucket: bucket
    .default('PT1H')
    .describe('The width of a cell of the season, of which there are 336 at most.'),
  method: z
    .literal('mad')
    .default('mad')
    .describe(
      'The lower bound is the median of the minima of the buckets in the cell, less `factor` robust deviations ' +
        '(1.4826 × the median absolute deviation). The maxima give the upper bound.',
    ),
  factor: z
    .number()
    .positive()
    .max(1_000)
    .default(3)
    .describe('The distance of a bound from the median, in deviations.'),
  side: z
    .enum(['both', 'above', 'below'])
    .optional()
    .describe(
      'The side of the band on which a value is a breach; by default `above` for `>` and `>=`, `below` for `<` and `<=`, ' +
        '`both` for `<>`.',
    ),
  minSamples: z
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe(
      'The least number of samples in a cell, besides 3 buckets. With fewer, the cells within an hour count too; if that ' +
        'is not enough, the limit is unknown.',
    ),
  minWidth: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'The least distance between the bounds, in user units. With 0, a side on which the values do not vary has no bound.',
    ),
  exclude: z
    .array(z.enum(['maintenance', 'no_data']))
    .max(2)
    .default(['maintenance'])
    .describe(
      'Times whose values are not usual. Without `maintenance`, values during maintenance count; times without data never do.',
    ),
  offset: z.number().min(0).default(0).describe('How far beyond a bound a value has to be, in user units.'),
})

/** A limit whose usual values a forecast predicts. */
const forecastFields = z.strictObject({
  source: z.literal('forecast').describe('A forecast has the usual values.'),
  forecastId: z
    .int()
    .positive()
    .describe('The forecast, of which `bands` or the source names the job and the value.'),
  level: z.int().min(50).max(99).default(95).describe('One of the levels of the forecast.'),
  side: adaptiveFields.shape.side,
  minWidth: adaptiveFields.shape.minWidth,
  offset: adaptiveFields.shape.offset,
})

/** How the usual values of an adaptive limit are found. */
export const adaptiveSchema = z
  .preprocess(withSource, z.discriminatedUnion('source', [adaptiveFields, forecastFields]))
  .superRefine((body, issues) => {
    if (body.source === 'history') checkCells(body, issues)
  })

/** Without a source, the history of the job is meant. */
function withSource(input: unknown): unknown {
  return isJsonObject(input) && !('source' in input) ? { source: 'history', ...input } : input
}

function checkCells(
  { season, bucket: width, window }: LearnedLimitBody,
  issues: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  const fault = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
  if (!isDuration(width) || !isDuration(window)) return
  const bucketMs = durationMs(width)
  const spanMs = season === 'week' ? 7 * DAY_MS : DAY_MS
  if (season !== 'none' && spanMs / bucketMs > CELLS_MAX)
    fault('bucket', `must not divide the ${season} into more than ${CELLS_MAX} cells`)
  const buckets = durationMs(window) / bucketMs
  if (buckets < BUCKETS_MIN) fault('window', `must be at least ${BUCKETS_MIN} times the bucket`)
  if (buckets > BUCKETS_MAX) fault('window', `must be at most ${BUCKETS_MAX} times the bucket`)
}

export type LearnedLimitBody = z.output<typeof adaptiveFields>
export type ForecastLimitBody = z.output<typeof forecastFields>

/** The side of the band on which values breach it, by the operator. */
export const SIDES = { '>': 'above', '>=': 'above', '<': 'below', '<=': 'below', '<>': 'both' } as const

/** The faults of an adaptive condition for a number. */
export function adaptiveFaults(operator: string, side: 'both' | 'above' | 'below' | undefined) {
  const faults: [path: string[], message: string][] = []
  const usual: string | undefined = Object.entries(SIDES).find(([one]) => one === operator)?.[1]
  if (usual === undefined)
    faults.push([['operator'], 'is not allowed with adaptiveValues; use >, >=, <, <= or <>'])
  if ((usual === 'above' && side === 'below') || (usual === 'below' && side === 'above'))
    faults.push([['adaptiveValues', 'side'], `contradicts the operator ${operator}`])
  return faults
}
