import { COLUMNS_MAX } from '../../domain/import-plan.ts'
import * as z from 'zod'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { filterSchema } from '../filters/schema.ts'
import { columnName, fileFormat, importType, valueFormat } from '../imports/schema.ts'
import { refreshState } from '../sources/refresh-view.ts'
import { idPath } from '../../http/openapi-answers.ts'

const EVERY_MIN_MS = 5 * 60_000
const EVERY_MAX_MS = 31 * DAY_MS

export const refreshedTablePath = idPath.extend({ table: composedName })

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

const scriptColumn = z.strictObject({
  source: columnName.optional().describe('The name of the column in the file; absent: as in the table.'),
  name: columnName,
  type: importType,
})

const scriptOutput = z.strictObject({
  kind: z.literal('script'),
  scriptId: z.int().positive().describe('The script that each refresh runs.'),
  runConfigurationId: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The run configuration; null for the default one of the script.'),
  output: storableText.min(1).max(255).describe('The name of the output file of the run that has the rows.'),
  file: fileFormat.prefault({}).describe('How the file is read into records.'),
  values: valueFormat.prefault({}).describe('How texts are read into values.'),
  columns: z
    .array(scriptColumn)
    .min(1)
    .max(COLUMNS_MAX)
    .describe('The columns of the table, in their order. The file may have others.'),
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

export const refreshBody = z
  .strictObject({ from: z.discriminatedUnion('kind', [foreignTable, scriptOutput]), every })
  .meta({
    examples: [
      {
        from: { kind: 'foreign', dataSourceId: 4, table: 'orders', columns: ['id', 'region'], filter: null },
        every: 'PT1H',
      },
      {
        from: {
          kind: 'script',
          scriptId: 7,
          runConfigurationId: null,
          output: 'orders.csv',
          columns: [{ name: 'id', type: 'string' }],
        },
        every: 'P1D',
      },
    ],
  })

export const refreshDefinitionView = z
  .object({
    table: z.string().meta({ examples: ['orders'] }),
    from: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('foreign'),
        dataSourceId: z.int(),
        table: z.string(),
        columns: z.array(z.string()),
        filter: filterSchema.nullable(),
      }),
      z.object({
        kind: z.literal('script'),
        scriptId: z.int(),
        runConfigurationId: z.int().nullable(),
        output: z.string(),
        file: fileFormat,
        values: valueFormat,
        columns: z.array(z.object({ source: z.string(), name: z.string(), type: importType })),
        userId: z.int().describe('The user in whose name the script runs: the one who wrote the definition.'),
      }),
    ]),
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
