import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'
import { rangeQuery } from '../../http/instants.ts'
import { REVALUATION_TYPES } from '../revaluations/schema.ts'
import { LEVELS, STATES } from '../states/state.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'

/** States that count as down. */
export const levelsQuery = z
  .string()
  .max(64)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(LEVELS)).min(1).max(LEVELS.length))
  .prefault('major')
  .meta({ type: 'string', description: 'major, minor, warning; commas between them.' })

export const RECALC =
  'Whether corrections of the past are applied: on what it is made of first, then on itself and what it is in. What a service level container has said stays said: its periods are what is calculated anew.'

const timestamp = z.iso.datetime({ offset: true })

/** A revaluation beside what it does. */
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
  .describe('Floored to three decimals: 100 means never down. Null where there is nothing to measure.')
const seconds = z.number()

export const stateHistoryView = z
  .object({
    objectId: z.int(),
    objectType: z.enum(OBJECT_TYPES),
    begin: timestamp,
    end: timestamp,
    recalc: z.boolean(),
    resolution: z.string().describe('The length of a sample.'),
    samples: z.array(
      z.object({
        begin: timestamp,
        end: timestamp,
        shares: z
          .partialRecord(z.enum(STATES), z.number())
          .describe('The part that each state has of the time.'),
        worst: z.enum(STATES),
        mostFrequent: z.enum(STATES),
      }),
    ),
    transitions: z.array(
      z.object({
        timestamp,
        from: z.enum(STATES),
        to: z.enum(STATES),
        reason: z.string(),
        detectedAt: timestamp,
        cause: z
          .object({ type: z.enum(OBJECT_TYPES), id: z.int(), name: z.string() })
          .nullable()
          .describe('The child that brought it about, as far as it is still there.'),
      }),
    ),
    truncated: z
      .boolean()
      .describe('True where there are too many transitions to list; none is listed then.'),
    availability: z.object({
      percent,
      percentWithMaintenance: percent,
      downSeconds: seconds,
      maintenanceSeconds: seconds,
      excludedSeconds: seconds.describe('Nothing is known of this time.'),
      measuredSeconds: seconds,
    }),
    revaluations: z
      .array(placedRevaluation)
      .describe('What was entered for it and what it is in; with `recalc` also what else was applied.'),
  })
  .meta({ id: 'StateHistory' })

export type StateHistoryQuery = z.infer<typeof stateHistoryQuery>
export type StateHistoryView = z.infer<typeof stateHistoryView>
