import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { columnName } from '../imports/schema.ts'

const ROWS_MAX = 1_000
const KEY_MAX = 16

const cell = z.union([storableText, z.number(), z.boolean(), z.null()])
const row = z.record(columnName, cell)

const rows = z
  .array(row)
  .min(1)
  .max(ROWS_MAX)
  .describe(
    'The rows as objects, all with the same columns. Integers beyond 2^53 are text; JSON is its text.',
  )
const key = z
  .array(columnName)
  .max(KEY_MAX)
  .describe(
    'The columns by which rows are found. No two of the given rows may have the same key, and no key is null.',
  )

export const insertBody = z
  .strictObject({
    rows,
    key: key.default([]).describe('The columns that tell whether a row is there; empty: it does not matter.'),
    onConflict: z
      .enum(['error', 'ignore', 'update'])
      .default('error')
      .describe(
        'For a row whose key is there: `error` refuses all rows, `ignore` leaves the row out, `update` changes it.',
      ),
  })
  .refine(({ key: columns, onConflict }) => columns.length > 0 || onConflict === 'error', {
    path: ['key'],
    message: 'must have a column',
  })
  .meta({
    examples: [{ key: ['id'], onConflict: 'update', rows: [{ id: 8, region: 'north', amount: 12.5 }] }],
  })

export const updateBody = z
  .strictObject({ key: key.min(1), rows })
  .meta({ examples: [{ key: ['id'], rows: [{ id: 8, amount: 13 }] }] })

export const deleteBody = z
  .strictObject({ key: key.min(1), rows: rows.describe('The keys of the rows, as objects.') })
  .meta({ examples: [{ key: ['id'], rows: [{ id: 8 }] }] })

export const editView = z
  .object({
    inserted: z.int().describe('The rows that are new.'),
    updated: z.int().describe('The rows that have other values.'),
    deleted: z.int().describe('The rows that are gone.'),
    rows: z
      .int()
      .nullable()
      .describe('The rows of the table; null where the caller may not read all of them.'),
  })
  .meta({ id: 'RowEdit', examples: [{ inserted: 1, updated: 0, deleted: 0, rows: 40_128 }] })

export type InsertBody = z.output<typeof insertBody>
export type KeyedBody = z.output<typeof updateBody>
export type EditView = z.output<typeof editView>
