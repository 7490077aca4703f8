import * as z from 'zod'
import { queryError } from './schema.ts'

export const lineageQuery = z.object({
  version: z
    .enum(['published', 'draft'])
    .default('published')
    .describe('Whether the latest published version or the draft is meant.'),
})

export const lineageView = z
  .object({
    dataSourceId: z.int(),
    queries: z
      .array(
        z.object({
          id: z.int(),
          name: z.string(),
          reads: z
            .enum(['rows', 'values'])
            .describe('`rows`: a text refers to it; `values`: it has the values of a parameter.'),
          by: z.int().describe('The id of the data query that reads it.'),
        }),
      )
      .describe('The data queries that are read, directly and through others; at most 50 are read for rows.'),
    tables: z
      .array(
        z.object({
          name: z.string().meta({ examples: ['orders'] }),
          kind: z.enum(['table', 'view']),
          columns: z.array(z.string()).meta({ examples: [['id', 'region']] }),
        }),
      )
      .describe(
        'The tables, views and columns whose names are in the statement with the defaults of the parameters, among those that the user may read.',
      ),
    errors: z.array(queryError).describe('Why tables, or data queries too, are missing here.'),
  })
  .meta({ id: 'DataQueryLineage' })

export type LineageView = z.output<typeof lineageView>
