import * as z from 'zod'
import { flagQuery } from '../../../http/openapi-answers.ts'
import { waitQuery } from '../../../operations/work/schema.ts'
import { columnName } from '../../imports/schema.ts'
import { refreshState } from '../../sources/refresh-view.ts'
import { INTERVALS } from './interval.ts'

const INDEXES_MAX = 10
const INDEX_COLUMNS_MAX = 8

const distinct = (names: readonly string[]) =>
  new Set(names.map((name) => name.toLowerCase())).size === names.length

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

export const materialization = z
  .strictObject({
    refresh: z
      .enum(INTERVALS)
      .describe(
        'How often the result is computed anew; `none`: when the data query is published, and on demand.',
      ),
    indexes: z.array(index).max(INDEXES_MAX).default([]).describe('Indexes of the result.'),
  })
  .nullable()
  .default(null)
  .describe('How the result is stored; null where each run computes it.')

export const materializationView = z
  .object({
    refresh: z.enum(INTERVALS).describe('How often the result is computed anew.'),
    indexes: z.array(z.object({ columns: z.array(z.string()), unique: z.boolean() })),
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
  .object({ rows: z.int().min(0).describe('The number of rows, which replaced the former ones.') })
  .meta({ id: 'RefreshedDataQuery' })

export type Materialization = NonNullable<z.output<typeof materialization>>
export type ResultState = z.output<typeof resultState>
export type RefreshedResultView = z.output<typeof refreshedResultView>
