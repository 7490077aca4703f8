import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../http/instants.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { levelsQuery, placedRevaluation, RECALC } from '../state-history/schema.ts'
import { LEVELS } from '../states/state.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'

const OUTAGES_MAX = 1_000

const duration = z
  .string()
  .max(64)
  .refine(isFixedDuration, 'must be an ISO 8601 duration without years and months')
  .meta({ format: 'duration' })

/** Specification: query of the outages, with its defaults; ours: states, minDuration, mergeGap, split, sort, limit,
 * cursor. */
export const outagesQuery = z.object({
  begin: instantQuery.optional().describe('The start of the range. Default: a day before its end.'),
  end: instantQuery
    .optional()
    .describe('The end of the range. Default: now. An outage is listed if any part of it is in the range.'),
  recalc: flagQuery.default(false).describe(RECALC),
  states: levelsQuery,
  minDuration: duration.default('PT10M').describe('The minimum duration; shorter outages are omitted.'),
  mergeGap: duration
    .default('PT0S')
    .describe('Outages with at most this much time between them are merged into one.'),
  split: flagQuery.default(false).describe('True: one outage for each state.'),
  sort: z
    .enum(['begin', 'latest', 'state', 'duration'])
    .default('begin')
    .describe('The order: by begin, latest begin first, worst state first, or longest first.'),
  limit: pageLimit(OUTAGES_MAX).default(OUTAGES_MAX),
  cursor: linkCursor,
})

export const outageView = z
  .object({
    id: z.string().describe('No two outages of a list have the same id.'),
    objectId: z.int(),
    objectType: z.enum(OBJECT_TYPES),
    objectName: z.string(),
    state: z.enum(LEVELS).describe('The worst state of the outage.'),
    begin: timestamp,
    end: timestamp.nullable().describe('Null while the outage lasts.'),
    duration: z.string().describe('The duration; while the outage lasts, the duration so far.'),
    active: z.boolean().describe('Whether the outage has not ended yet.'),
    segments: z.array(z.object({ state: z.enum(LEVELS), begin: timestamp, end: timestamp.nullable() })),
    reasons: z
      .array(z.object({ type: z.enum(OBJECT_TYPES), id: z.int(), name: z.string(), errorCode: z.int() }))
      .describe('The jobs that caused the outage, in order of time.'),
    cost: z
      .object({
        amount: z
          .number()
          .describe('The costs per minute of the object multiplied by the minutes of the outage.'),
        currency: z.string().describe('The currency code (ISO 4217).'),
        risk: z.number().describe('The amount multiplied by the risk factor.'),
      })
      .nullable()
      .describe(
        'The cost; while the outage lasts, the cost so far. Null if the object has no costs; only service level objects can have costs.',
      ),
    revaluations: z
      .array(placedRevaluation)
      .describe('The revaluations that apply during the outage, as in the state history.'),
  })
  .meta({ id: 'Outage' })

export type OutagesQuery = z.infer<typeof outagesQuery>
export type OutageView = z.infer<typeof outageView>
