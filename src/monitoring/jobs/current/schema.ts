import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { currentValue } from '../schema.ts'

const JOBS_MAX = 100

export const currentQuery = z.object({
  jobId: z
    .union([idParam, z.array(idParam).min(1).max(JOBS_MAX)])
    .describe(`The job; can be repeated for up to ${JOBS_MAX} jobs.`),
})

export const currentView = z
  .object({
    items: z
      .array(
        z.object({
          jobId: z.int(),
          values: z.array(
            z.object({
              key: z.string(),
              name: z.string(),
              unit: z.string(),
              precision: z.int().nullable().describe('The number of decimals for display.'),
              ...currentValue.shape,
            }),
          ),
        }),
      )
      .describe('The jobs in the order of the query, without those that do not exist or are not readable.'),
  })
  .meta({ id: 'CurrentValues' })

export type CurrentQuery = z.infer<typeof currentQuery>
export type CurrentView = z.infer<typeof currentView>
