import * as z from 'zod'
import { previewBody, runBody } from '../queries/run-schema.ts'
import { OPERATIONS } from './node.ts'
import type { PlanNode } from './node.ts'

const analyze = z
  .boolean()
  .default(false)
  .describe('Whether the statement runs, so that the plan has the rows and the duration of each step.')

export const explainBody = z
  .union([
    z.strictObject({
      queryId: z.int().positive().describe('The data query.'),
      ...runBody.omit({ limit: true, maxAge: true, check: true }).shape,
      analyze,
    }),
    z.strictObject({ ...previewBody.omit({ limit: true }).shape, analyze }),
  ])
  .meta({ examples: [{ queryId: 1, parameters: { region: 'north' }, analyze: true }] })

const node: z.ZodType<PlanNode> = z
  .object({
    operation: z.enum(OPERATIONS),
    name: z
      .string()
      .describe('The name of the step in the database.')
      .meta({ examples: ['Seq Scan'] }),
    relation: z.string().nullable().describe('The table or view that it reads.'),
    index: z.string().nullable(),
    condition: z.string().nullable().describe('The condition on its rows, in the words of the database.'),
    estimatedRows: z.number().nullable().describe('The number of rows that the database expects.'),
    rows: z.number().nullable().describe('The number of rows of the run; null without `analyze`.'),
    durationMs: z.number().nullable().describe('The duration in milliseconds; null without `analyze`.'),
    children: z.array(z.lazy((): z.ZodType<PlanNode> => node)),
  })
  .meta({ id: 'PlanNode', description: 'A step of a plan. Fields that a database does not tell are null.' })

export const planView = z
  .object({
    dialect: z.enum(['postgresql', 'mysql', 'duckdb', 'sqlite']),
    sql: z.string().describe('The statement, with a placeholder for each value.'),
    values: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('The values of the placeholders, in order.')
      .meta({ examples: [['north']] }),
    analyzed: z.boolean(),
    plan: node,
    text: z
      .string()
      .nullable()
      .describe('The plan as the database writes it; null where scopes restrict the caller.'),
    warnings: z
      .array(z.string())
      .describe('Reasons why the statement may be slow.')
      .meta({ examples: [['All rows of orders are read, about 1,000,000.']] }),
    durationMs: z.int().describe('The duration of the explanation in milliseconds.'),
  })
  .meta({ id: 'QueryPlan' })

export type ExplainBody = z.output<typeof explainBody>
export type PlanView = z.output<typeof planView>
