import { COLUMNS_MAX } from '../../domain/import-plan.ts'
import * as z from 'zod'
import { composedName } from '../../http/text-schemas.ts'
import { columnName, importType } from '../imports/schema.ts'

const column = z.strictObject({ name: columnName, type: importType })

export const tableBody = z
  .strictObject({
    name: composedName.describe('The name of the table.'),
    columns: z.array(column).min(1).max(COLUMNS_MAX).describe('The columns, in their order.'),
  })
  .meta({
    examples: [
      {
        name: 'prices',
        columns: [
          { name: 'article', type: 'string' },
          { name: 'price', type: 'number' },
        ],
      },
    ],
  })

export const tableChange = z
  .strictObject({
    rename: composedName.optional().describe('The new name of the table; absent: unchanged.'),
    add: z
      .array(column)
      .max(COLUMNS_MAX)
      .default([])
      .describe('New columns after the others, whose values are null.'),
    drop: z.array(columnName).max(COLUMNS_MAX).default([]).describe('Columns to remove.'),
    alter: z
      .array(
        z.strictObject({
          name: columnName.describe('The column.'),
          rename: columnName.optional().describe('Its new name; absent: unchanged.'),
          type: importType
            .optional()
            .describe('Its new type; absent: unchanged. Each value must have one of the type.'),
        }),
      )
      .max(COLUMNS_MAX)
      .default([])
      .describe('Columns to rename or to retype.'),
  })
  .meta({
    examples: [{ add: [{ name: 'currency', type: 'string' }], alter: [{ name: 'price', type: 'string' }] }],
  })

export const importedTableView = z
  .object({
    name: z.string().meta({ examples: ['prices'] }),
    columns: z.array(z.object({ name: z.string(), type: importType.or(z.literal('binary')) })),
    rows: z.int().describe('The number of rows.'),
  })
  .meta({ id: 'ImportedTable' })

export type TableBody = z.output<typeof tableBody>
export type TableChange = z.output<typeof tableChange>
export type ImportedTableView = z.output<typeof importedTableView>
