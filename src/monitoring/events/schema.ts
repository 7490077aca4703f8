import * as z from 'zod'
import { flagQuery, idParam } from '../../http/openapi-answers.ts'
import { EVENT_KINDS } from '../../ports/events.ts'

const OBJECTS_MAX = 100
const JOBS_MAX = 100

const kind = z.enum(EVENT_KINDS)

/** Which events are told. */
export const eventsQuery = z
  .object({
    kind: z
      .union([kind.transform((one) => [one]), z.array(kind).min(1).max(EVENT_KINDS.length)])
      .default([...EVENT_KINDS])
      .describe('Repeated for several kinds. Default: all.'),
    objectId: z
      .union([idParam.transform((one) => [one]), z.array(idParam).min(1).max(OBJECTS_MAX)])
      .optional()
      .describe(`Only of this object and what is below it; repeated for several, ${OBJECTS_MAX} at most.`),
    jobId: z
      .union([idParam.transform((one) => [one]), z.array(idParam).min(1).max(JOBS_MAX)])
      .default([])
      .describe(`Also the values of this webhook job; repeated for several, ${JOBS_MAX} at most.`),
    once: flagQuery
      .default(false)
      .describe(
        'True ends the stream once everything since `Last-Event-ID` was told: for whom streams do not reach.',
      ),
  })
  .refine(({ kind: kinds, jobId }) => jobId.length === 0 || kinds.includes('value'), {
    path: ['jobId'],
    message: 'has values, which are not among the kinds',
  })

export type EventsQuery = z.output<typeof eventsQuery>
