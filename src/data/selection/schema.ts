import * as z from 'zod'
import { COLUMN_TYPES } from '../../domain/table.ts'
import { idParam } from '../../http/openapi-answers.ts'
import { storableText, timeZone } from '../../http/text-schemas.ts'
import { pageLimit } from '../../http/paging.ts'
import { readJson } from '../../lib/json.ts'
import { waitQuery } from '../../operations/work/schema.ts'
import { filterSchema } from '../filters/schema.ts'
import { FUNCTIONS } from './aggregates.ts'

const NAME_MAX = 255
const EXPRESSION_MAX = 10_000
const OUTPUTS_MAX = 100
const SORTS_MAX = 20
export const LIMIT_DEFAULT = 1_000
/** The rows of a result that is not streamed. */
export const LIMIT_MAX = 100_000
export const EXPORT_ROWS_MAX = 10_000_000
const OFFSET_MAX = 1_000_000_000

const name = storableText.min(1).max(NAME_MAX)
const as = name.describe('The name in the result.')
const column = name.describe('The name of a column.')
const expr = storableText
  .min(1)
  .max(EXPRESSION_MAX)
  .describe('An expression over columns, such as `"unit price" * (qty - 1)` or `DATE_TRUNC(\'day\', at)`.')

const item = z.union([column, z.strictObject({ column, as: as.optional() }), z.strictObject({ expr, as })])

const bucket = z.strictObject({
  column,
  as: as.optional(),
  bucket: storableText
    .max(16)
    .describe(
      'The length of a time bucket: seconds that divide an hour, hours that divide a day, `P1D`, `P1W` (from Monday), months that divide a year, or `P1Y`.',
    )
    .meta({ examples: ['PT1H'] }),
  timeZone: timeZone
    .optional()
    .describe('The zone on whose clock buckets begin; by default the zone of the service.')
    .meta({ examples: ['Europe/Zurich'] }),
})

const aggregated = {
  fn: z.enum(FUNCTIONS).describe('The function. It ignores null; `*_SAMP` of fewer than two values is null.'),
  as,
  p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The share of `PERCENTILE`, which lies between two values by their distance.'),
  filter: filterSchema.optional().describe('The rows that this aggregate counts.'),
}

export const selectBody = z
  .strictObject({
    columns: z
      .array(item)
      .min(1)
      .max(OUTPUTS_MAX)
      .optional()
      .describe('The columns of the result; all of them if absent. Not with `groupBy` or `aggregates`.'),
    groupBy: z
      .array(z.union([...item.options, bucket]))
      .max(OUTPUTS_MAX)
      .default([])
      .describe('The result has a row for each combination of these.'),
    aggregates: z
      .array(
        z.union([
          z.strictObject({ ...aggregated, column }),
          z.strictObject({ ...aggregated, expr: expr.describe('An expression, or `*` for `COUNT`.') }),
        ]),
      )
      .max(OUTPUTS_MAX)
      .default([]),
    filter: filterSchema.optional().describe('The rows of the table that count.'),
    having: filterSchema.optional().describe('A condition on aggregates, by their names in the result.'),
    orderBy: z
      .array(
        z.strictObject({
          column: name.describe('A column of the result, or of the table where rows are not grouped.'),
          dir: z.enum(['asc', 'desc']).default('asc'),
          nulls: z.enum(['first', 'last']).default('last'),
        }),
      )
      .max(SORTS_MAX)
      .default([])
      .describe('Texts are ordered by their characters, not by a language.'),
    limit: z
      .int()
      .min(0)
      .max(EXPORT_ROWS_MAX)
      .optional()
      .describe(
        'The number of rows; in JSON at most 100,000 and by default 1,000. CSV and NDJSON have all rows by default, and fail beyond 10,000,000; XLSX has all rows, and is refused beyond 1,048,575.',
      ),
    offset: z.int().min(0).max(OFFSET_MAX).default(0),
    distinct: z.boolean().default(false).describe('Whether equal rows are one.'),
    total: z
      .enum(['none', 'exact'])
      .default('none')
      .describe('`exact` counts the rows of the result without `limit` and `offset`.'),
    format: z
      .enum(['rows', 'objects'])
      .default('rows')
      .describe('Whether a row in JSON is a list of values, or an object by the names of the columns.'),
  })
  .meta({
    examples: [
      {
        groupBy: ['region'],
        aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
        orderBy: [{ column: 'n', dir: 'desc' }],
      },
    ],
  })

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const selectView = z
  .object({
    columns: z.array(
      z.object({
        name: z.string().meta({ examples: ['region'] }),
        type: z.enum(COLUMN_TYPES),
        exact: z.boolean().describe('Whether numbers may be text, because a double would change them.'),
      }),
    ),
    rows: z
      .array(z.union([z.array(cell), z.record(z.string(), cell)]))
      .describe(
        'Instants are ISO 8601 in UTC, time buckets have the offset of their zone; binary is base64, JSON is its text. NaN and infinities are null, such as a sum beyond ±1.8e308.',
      )
      .meta({ examples: [[['north', 12]]] }),
    rowCount: z.int(),
    total: z.int().nullable().describe('Null unless it was requested.'),
    truncated: z.boolean().describe('Whether there are more rows than `limit`.'),
    durationMs: z.int().describe('The duration of the statements in milliseconds.'),
    duration: z.string().meta({ format: 'duration', examples: ['PT0.012S'] }),
    cached: z
      .boolean()
      .describe(
        'Whether an equal request, at the same time or less than a second before, has read the rows.',
      ),
  })
  .meta({ id: 'Selection' })

export const tablePath = z.object({ id: idParam, table: name.describe('The name of a table or view.') })

const selectQuery = z.object({
  wait: waitQuery('How long to wait for the result; by default 30 seconds. Then the answer is 202.'),
})

export const exportQuery = selectQuery.extend({
  safe: z
    .literal('excel')
    .optional()
    .describe('In CSV, an apostrophe stands before texts that a spreadsheet would read as formulas.'),
})

const COLUMNS_MAX = 10
const SEARCH_MAX = 255
const FILTER_MAX_CHARS = 15_000

const listOf = (one: z.ZodString, min: number) =>
  z.union([one.transform((text) => [text]), z.array(one).min(min).max(COLUMNS_MAX)])

const BINS_MAX = 100
const BINS_DEFAULT = 20

/** JSON in a query. */
export const jsonQuery = <Schema extends z.ZodType>(schema: Schema, maxChars: number) =>
  z.string().max(maxChars).transform(readJson).pipe(schema)

/** A filter in a query. */
export const filterQuery = jsonQuery(filterSchema, FILTER_MAX_CHARS)
  .optional()
  .describe('The rows that count: a filter as in a select, as JSON.')

export const distinctQuery = z.object({
  column: listOf(column, 1).describe('A column; can be repeated for the combinations of up to 10 columns.'),
  orderBy: listOf(name, 0)
    .default([`-count`])
    .describe('A column or `count`, with `-` before it for the descending order; can be repeated.'),
  search: storableText
    .min(1)
    .max(SEARCH_MAX)
    .optional()
    .describe('Only combinations in which a text contains this, in any letter case.'),
  filter: filterQuery,
  limit: pageLimit(LIMIT_MAX).default(LIMIT_DEFAULT),
  ...selectQuery.shape,
})

export const distinctView = z
  .object({
    columns: z.array(z.string()).meta({ examples: [['region']] }),
    items: z.array(
      z.object({
        values: z.array(cell).meta({ examples: [['north']] }),
        count: z.int().describe('The number of rows.'),
      }),
    ),
    total: z.int().describe('The number of combinations.'),
    truncated: z.boolean().describe('Whether there are more combinations than `limit`.'),
  })
  .meta({ id: 'DistinctValues' })

export const sourceDistinctQuery = distinctQuery.extend({
  table: name.describe('The name of a table or view.'),
})

export const columnPath = tablePath.extend({ column })

export const valuesQuery = distinctQuery.omit({ column: true })

export const valuesView = z
  .object({
    items: z.array(
      z.object({ value: cell.meta({ examples: ['north'] }), count: z.int().describe('The number of rows.') }),
    ),
    total: z.int().describe('The number of values, null among them.'),
    truncated: z.boolean().describe('Whether there are more values than `limit`.'),
  })
  .meta({ id: 'ColumnValues' })

export const histogramQuery = z.object({
  bins: z.coerce
    .number()
    .int()
    .min(1)
    .max(BINS_MAX)
    .default(BINS_DEFAULT)
    .describe('The number of ranges, which have the same width.'),
  filter: filterQuery,
  ...selectQuery.shape,
})

const bound = z.number().nullable()

export const histogramView = z
  .object({
    min: bound.describe('The least number; null without numbers.'),
    max: bound.describe('The greatest number; null without numbers.'),
    count: z.int().describe('The number of rows in all ranges.'),
    nullCount: z.int().describe('The number of rows whose value is null, NaN or infinite.'),
    bins: z
      .array(
        z.object({
          from: z.number().describe('The least value of the range.'),
          to: z
            .number()
            .describe('The end of the range, which belongs to the next one, and at last to this one.'),
          count: z.int().describe('The number of rows.'),
        }),
      )
      .describe('One range where all numbers are equal, none without numbers.'),
  })
  .meta({ id: 'Histogram' })

export type ValuesQuery = z.output<typeof valuesQuery>
export type ValuesView = z.output<typeof valuesView>
export type HistogramQuery = z.output<typeof histogramQuery>
export type HistogramView = z.output<typeof histogramView>
export type DistinctQuery = z.output<typeof distinctQuery>
export type DistinctView = z.output<typeof distinctView>
export type SelectBody = z.output<typeof selectBody>
export type SelectView = z.output<typeof selectView>
