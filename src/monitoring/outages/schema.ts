import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'
import { instantQuery } from '../../http/instants.ts'
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
const timestamp = z.iso.datetime({ offset: true })

/** Specification: query of the outages, with its defaults; ours: states, minDuration, mergeGap, split, sort, limit. */
export const outagesQuery = z.object({
  begin: instantQuery.optional().describe('Default: a day before the end.'),
  end: instantQuery
    .optional()
    .describe('Default: now. An outage is shown when any part of it is in the range.'),
  recalc: flagQuery.default(false).describe(RECALC),
  states: levelsQuery,
  minDuration: duration.default('PT10M').describe('Shorter outages are left out.'),
  mergeGap: duration.default('PT0S').describe('Outages no further apart are one.'),
  split: flagQuery.default(false).describe('One outage for each state.'),
  sort: z
    .enum(['begin', 'state', 'duration'])
    .default('begin')
    .describe('By begin, worst first, or longest first.'),
  limit: z.coerce.number().int().min(1).max(OUTAGES_MAX).default(OUTAGES_MAX),
})

export const outageView = z
  .object({
    id: z.string(),
    objectId: z.int(),
    objectType: z.enum(OBJECT_TYPES),
    objectName: z.string(),
    state: z.enum(LEVELS).describe('The worst part.'),
    begin: timestamp,
    end: timestamp.nullable().describe('Null while it lasts.'),
    duration: z.string().describe('So far, while it lasts.'),
    active: z.boolean(),
    segments: z.array(z.object({ state: z.enum(LEVELS), begin: timestamp, end: timestamp.nullable() })),
    reasons: z
      .array(z.object({ type: z.enum(OBJECT_TYPES), id: z.int(), name: z.string(), errorCode: z.int() }))
      .describe('The jobs that brought it about, the first one first.'),
    cost: z
      .object({ amount: z.number(), currency: z.string(), risk: z.number() })
      .nullable()
      .describe(
        'So far, while it lasts. Null where nothing was said about costs; only service level objects have some.',
      ),
    revaluations: z
      .array(placedRevaluation)
      .describe('What was entered and applies at that time: see the state history.'),
  })
  .meta({ id: 'Outage' })

export type OutagesQuery = z.infer<typeof outagesQuery>
export type OutageView = z.infer<typeof outageView>
