import * as z from 'zod'
import { actionResults } from '../../../http/action-results.ts'

/** Jobs of one `POST /jobs/actions`. */
const ACTED_MAX = 1_000

export const jobActionsBody = z
  .strictObject({
    action: z
      .enum(['stop', 'start'])
      .describe('The change. A job that is stopped or started already is unchanged.'),
    ids: z.array(z.int().positive()).min(1).max(ACTED_MAX).describe('The ids of the jobs.'),
  })
  .meta({ id: 'JobActionsRequest', examples: [{ action: 'stop', ids: [3, 4] }] })

export const jobActionsView = z
  .object({ items: actionResults('job').describe('The result for each job, in the order of `ids`.') })
  .meta({ id: 'JobActions' })

export type JobActionsBody = z.infer<typeof jobActionsBody>
export type JobActionsView = z.infer<typeof jobActionsView>
