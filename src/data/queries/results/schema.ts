import * as z from 'zod'
import { flagQuery } from '../../../http/openapi-answers.ts'
import { isFixedDuration } from '../../../lib/duration.ts'
import { areDistinct } from '../../../lib/same.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { waitQuery } from '../../../operations/work/schema.ts'
import { columnName } from '../../imports/schema.ts'
import { refreshState } from '../../sources/refresh-view.ts'
import { INTERVALS } from './interval.ts'

const INDEXES_MAX = 10
const INDEX_COLUMNS_MAX = 8

const distinct = (names: readonly string[]) => areDistinct(names.map((name) => name.toLowerCase()))

const index = z.strictObject({
  columns: z
    .array(columnName)
    .min(1)
    .max(INDEX_COLUMNS_MAX)
    .refine(distinct, 'must be different columns')
    .describe('Columns of the result, in the order in which the index sorts by them.')
    .meta({ examples: [['region', 'day']] }),
  unique: z
    .boolean()
    .default(false)
    .describe('Whether a refresh fails when two rows have the same values in these columns.'),
})

const KEY_MAX = 8
const LOOKBACK_MAX_MS = 366 * DAY_MS

const incremental = z
  .strictObject({
    column: columnName
      .describe(
        'A refresh reads the rows alone whose value is greater than all stored ones. An integer, a date or a datetime.',
      )
      .meta({ examples: ['at'] }),
    key: z
      .array(columnName)
      .max(KEY_MAX)
      .refine(distinct, 'must be different columns')
      .default([])
      .describe(
        'Columns that have other values in each row: a new row replaces the stored one with the same values. Then rows with the greatest value are read again.',
      )
      .meta({ examples: [['id']] }),
    lookback: z
      .string()
      .max(64)
      .refine(
        (text) => isFixedDuration(text, LOOKBACK_MAX_MS),
        'must be an ISO 8601 duration of at most 366 days',
      )
      .meta({ format: 'duration', examples: ['PT1H'] })
      .nullable()
      .default(null)
      .describe(
        'How far before the greatest stored value rows are read again, which may have come late or have changed: for a date or a datetime, with a `key`. Null for none.',
      ),
  })
  .refine(({ lookback, key }) => lookback === null || key.length > 0, {
    path: ['key'],
    message: 'must be there for a lookback',
  })
  .nullable()
  .default(null)
  .describe('How a refresh adds to the stored rows; null where it replaces all of them.')

export const materialization = z
  .strictObject({
    refresh: z
      .enum(INTERVALS)
      .describe(
        'How often the result is computed anew; `none`: when the data query is published, and on demand.',
      ),
    indexes: z.array(index).max(INDEXES_MAX).default([]).describe('Indexes of the result.'),
    incremental,
  })
  .nullable()
  .default(null)
  .describe('How the result is stored; null where each run computes it.')

export const materializationView = z
  .object({
    refresh: z.enum(INTERVALS).describe('How often the result is computed anew.'),
    indexes: z.array(z.object({ columns: z.array(z.string()), unique: z.boolean() })),
    incremental: z
      .object({
        column: z.string(),
        key: z.array(z.string()),
        lookback: z.string().meta({ format: 'duration' }).nullable().optional(),
      })
      .nullable()
      .optional()
      .describe('How a refresh adds to the stored rows; null or absent where it replaces all of them.'),
  })
  .nullable()
  .describe('How the result is stored; null where each run computes it.')

export const resultState = refreshState
  .extend({
    rows: z.int().min(0).describe('The number of rows of the stored result.'),
    version: z
      .int()
      .min(0)
      .describe('The published version of the stored result; 0 before the first refresh.'),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .describe('The latest failure; null after a success.'),
  })
  .nullable()
  .describe('The stored result of the published version; null where results are not stored.')

export const refreshQuery = z.object({
  wait: waitQuery('How long to wait for the end; absent for as long as it takes.'),
  dependents: flagQuery
    .default(false)
    .describe('true: stored results that read this one by `ref` are refreshed after it, in their order.'),
})

export const refreshedResultView = z
  .object({
    rows: z.int().min(0).describe('The number of rows that are stored now.'),
    added: z
      .int()
      .min(0)
      .nullable()
      .describe('The number of rows that were read and added; null where all rows were read anew.'),
  })
  .meta({ id: 'RefreshedDataQuery' })

/** Versions that were published before these fields were there have no `lookback` and no `incremental`. */
export type Incremental = Omit<NonNullable<z.output<typeof incremental>>, 'lookback'> & {
  readonly lookback?: string | null | undefined
}
export type Materialization = Omit<NonNullable<z.output<typeof materialization>>, 'incremental'> & {
  readonly incremental?: Incremental | null | undefined
}
export type ResultState = z.output<typeof resultState>
export type RefreshedResultView = z.output<typeof refreshedResultView>
