import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { columnName } from '../imports/schema.ts'

const ASSERTIONS_MAX = 20
const COLUMNS_MAX = 8
const KINDS = ['not_null', 'unique', 'range'] as const

const bound = z.union([z.number(), z.iso.date(), timestamp]).nullable().default(null)

const assertion = z
  .strictObject({
    kind: z
      .enum(KINDS)
      .describe(
        '`not_null`: no value of the columns is null; `unique`: no two rows have the same values in them, where null equals no value; `range`: each value of the column is null, or neither below `min` nor above `max`.',
      ),
    columns: z
      .array(columnName)
      .min(1)
      .max(COLUMNS_MAX)
      .describe('Columns of the result; one for `range`.')
      .meta({ examples: [['id']] }),
    min: bound.describe('A number, a date or an instant; null for no lower bound.'),
    max: bound.describe('A number, a date or an instant; null for no upper bound.'),
  })
  .refine(({ kind, columns }) => kind !== 'range' || columns.length === 1, {
    path: ['columns'],
    message: 'must be one column',
  })
  .refine(({ kind, min, max }) => (kind === 'range') === (min !== null || max !== null), {
    path: ['min'],
    message: 'must be there for range, unless max is, and for nothing else',
  })

export const assertions = z
  .array(assertion)
  .max(ASSERTIONS_MAX)
  .default([])
  .describe('Conditions of the rows. Each refresh checks them, and a run that asks for it.')

export const assertionsView = z.array(
  z.object({
    kind: z.enum(KINDS),
    columns: z.array(z.string()).meta({ examples: [['id']] }),
    min: z.union([z.number(), z.string()]).nullable(),
    max: z.union([z.number(), z.string()]).nullable(),
  }),
)

export const checkedAssertions = z
  .array(
    z.object({
      kind: z.enum(KINDS),
      columns: z.array(z.string()).meta({ examples: [['id']] }),
      failures: z
        .int()
        .min(0)
        .describe(
          'The number of rows that break it, for `unique` of values that several rows have; 0 if it holds.',
        ),
    }),
  )
  .nullable()
  .describe('The assertions, checked on all rows of the result; null where the run did not ask for it.')

export type Assertion = z.output<typeof assertion>
export type CheckedAssertions = z.output<typeof checkedAssertions>
