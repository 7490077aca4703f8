import * as z from 'zod'
import { flagQuery, idParam } from '../../http/openapi-answers.ts'
import { EVENT_KINDS } from '../../ports/events.ts'

const OBJECTS_MAX = 100
const JOBS_MAX = 100

const kind = z.enum(EVENT_KINDS)

/** The query of `GET /events`: which events the stream has. */
export const eventsQuery = z
  .object({
    kind: z
      .union([kind.transform((one) => [one]), z.array(kind).min(1).max(EVENT_KINDS.length)])
      .default([...EVENT_KINDS])
      .describe('The kind of events; can be repeated. Default: all kinds.'),
    objectId: z
      .union([idParam.transform((one) => [one]), z.array(idParam).min(1).max(OBJECTS_MAX)])
      .optional()
      .describe(
        `Only events of this object and of the objects below it; can be repeated for up to ${OBJECTS_MAX} objects.`,
      ),
    jobId: z
      .union([idParam.transform((one) => [one]), z.array(idParam).min(1).max(JOBS_MAX)])
      .default([])
      .describe(`Also the values of this webhook job; can be repeated for up to ${JOBS_MAX} jobs.`),
    once: flagQuery
      .default(false)
      .describe(
        'True: the stream ends after all events since `Last-Event-ID`, for clients that cannot read endless streams.',
      ),
  })
  .refine(({ kind: kinds, jobId }) => jobId.length === 0 || kinds.includes('value'), {
    path: ['jobId'],
    message: 'requires the kind value',
  })

export type EventsQuery = z.output<typeof eventsQuery>
