import * as z from 'zod'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { filterSchema } from '../filters/schema.ts'
import { columnName, COLUMNS_MAX } from '../imports/schema.ts'
import { refreshState } from '../sources/refresh-view.ts'
import { dataSourcePath } from '../sources/schema.ts'

const EVERY_MIN_MS = 5 * 60_000
const EVERY_MAX_MS = 31 * DAY_MS

export const refreshedTablePath = dataSourcePath.extend({ table: composedName })

const foreignTable = z.strictObject({
  kind: z.literal('foreign'),
  dataSourceId: z.int().positive().describe('The database from which the rows come.'),
  table: storableText.min(1).max(255).describe('The table or view of the database.'),
  columns: z
    .array(columnName)
    .min(1)
    .max(COLUMNS_MAX)
    .nullable()
    .default(null)
    .describe('The columns, in their order; null for all that the table has now.'),
  filter: filterSchema.nullable().default(null).describe('Which rows are copied; null for all.'),
})

const every = z
  .string()
  .max(64)
  .refine(
    (text) => isFixedDuration(text, EVERY_MAX_MS) && durationMs(text) >= EVERY_MIN_MS,
    'must be an ISO 8601 duration between 5 minutes and 31 days',
  )
  .meta({ format: 'duration' })
  .nullable()
  .default(null)
  .describe('How often the rows are replaced; null for on demand only.')

export const refreshBody = z.strictObject({ from: foreignTable, every }).meta({
  examples: [
    {
      from: { kind: 'foreign', dataSourceId: 4, table: 'orders', columns: ['id', 'region'], filter: null },
      every: 'PT1H',
    },
  ],
})

export const refreshDefinitionView = z
  .object({
    table: z.string().meta({ examples: ['orders'] }),
    from: z.object({
      kind: z.literal('foreign'),
      dataSourceId: z.int(),
      table: z.string(),
      columns: z.array(z.string()),
      filter: filterSchema.nullable(),
    }),
    every: z.string().nullable(),
    state: refreshState,
    error: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .describe('The latest failure; null after a success.'),
  })
  .meta({ id: 'TableRefresh' })

export const refreshedView = z
  .object({
    table: z.string().meta({ examples: ['orders'] }),
    rows: z.int().min(0).describe('The number of rows, which replaced the former ones.'),
  })
  .meta({ id: 'RefreshedTable' })

export type RefreshBody = z.output<typeof refreshBody>
export type RefreshDefinitionView = z.output<typeof refreshDefinitionView>
export type RefreshedView = z.output<typeof refreshedView>
