import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'
import { rangeQuery, timestamp } from '../../http/instants.ts'
import { REVALUATION_TYPES } from '../revaluations/schema.ts'
import { STATES } from '../../domain/state.ts'
import { LEVELS } from '../states/state.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'

/** States that count as down. */
export const levelsQuery = z
  .string()
  .max(64)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(LEVELS)).min(1).max(LEVELS.length))
  .prefault('major')
  .meta({
    type: 'string',
    description: 'The states that count as down: `major`, `minor`, `warning`, separated by commas.',
  })

export const RECALC =
  'Whether corrections of the past are applied, first to the objects below, then to the object itself and the objects above. Published states of service level containers never change; recalculate their periods instead.'

/** A revaluation that affects the history. */
export const placedRevaluation = z
  .object({
    id: z.int(),
    objectId: z.int(),
    type: z.enum(REVALUATION_TYPES),
    name: z.string(),
    begin: timestamp,
    end: timestamp,
  })
  .meta({ id: 'PlacedRevaluation' })

/** Specification: query of the state history; ours: states. */
export const stateHistoryQuery = z.object({
  ...rangeQuery,
  recalc: flagQuery.default(false).describe(RECALC),
  states: levelsQuery,
})

const percent = z
  .number()
  .nullable()
  .describe(
    'The availability in percent, rounded down to three decimals, so that 100 means never down. Null if nothing was measured.',
  )
const seconds = z.number()

/** The fields of a change of state. */
export const transitionShape = {
  timestamp,
  from: z.enum(STATES),
  to: z.enum(STATES),
  reason: z.string(),
  detectedAt: timestamp.describe('When the service noticed the transition, which is dated `timestamp`.'),
  cause: z
    .object({ type: z.enum(OBJECT_TYPES), id: z.int(), name: z.string() })
    .nullable()
    .describe('The child that caused the transition; null if there was none or it was deleted.'),
}

export const stateHistoryView = z
  .object({
    objectId: z.int(),
    objectType: z.enum(OBJECT_TYPES),
    begin: timestamp,
    end: timestamp,
    recalc: z.boolean(),
    resolution: z.string().describe('The length of a sample, as an ISO 8601 duration.'),
    samples: z.array(
      z.object({
        begin: timestamp,
        end: timestamp,
        shares: z.partialRecord(z.enum(STATES), z.number()).describe('The share of the time in each state.'),
        worst: z.enum(STATES).describe('The worst state in the sample.'),
        mostFrequent: z.enum(STATES).describe('The state with the largest share.'),
      }),
    ),
    transitions: z.array(z.object(transitionShape)),
    truncated: z
      .boolean()
      .describe('True if there are too many transitions to list; the list is empty then.'),
    availability: z.object({
      percent,
      percentWithMaintenance: percent.describe('The same as if there were no maintenance.'),
      downSeconds: seconds.describe('The time in one of `states`, outside of maintenance.'),
      maintenanceSeconds: seconds.describe('The time in maintenance.'),
      excludedSeconds: seconds.describe(
        'The time without data or without monitoring, which the percentages exclude.',
      ),
      measuredSeconds: seconds.describe('The length of the range since the object was created.'),
    }),
    revaluations: z
      .array(
        placedRevaluation.extend({
          occurrences: z
            .array(z.object({ begin: timestamp, end: timestamp }))
            .describe(
              'When the revaluation applies, in order, cut at the range. The occurrences of all revaluations end after 10,000 together.',
            ),
        }),
      )
      .describe(
        'The first 1,000 revaluations of the object and of the objects above it, by begin; with `recalc` also all others that were applied.',
      ),
  })
  .meta({ id: 'StateHistory' })

export type StateHistoryQuery = z.infer<typeof stateHistoryQuery>
export type StateHistoryView = z.infer<typeof stateHistoryView>
