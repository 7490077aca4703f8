import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { nextCursor } from '../../../http/paging.ts'
import { listedObject } from '../../tree/schema.ts'
import { pageLimit } from '../../tree/search/schema.ts'
import { listedQuery, revaluationView } from '../schema.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 200

export const calendarQuery = z.object({
  ...listedQuery,
  limit: pageLimit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: nextCursor,
})

const calendarEntry = revaluationView
  .extend({
    object: listedObject,
    occurrences: z
      .array(z.object({ begin: timestamp, end: timestamp }))
      .describe(
        'When the revaluation applies, in order, cut at `begin` and `end` of the query. Empty if it does not apply in that time.',
      ),
  })
  .meta({ id: 'CalendarEntry' })

export const calendarView = z
  .object({
    items: z.array(calendarEntry).describe('The revaluations, by begin.'),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        'The cursor of the next page; null for the last. A page ends early if its revaluations apply too often together.',
      ),
  })
  .meta({ id: 'RevaluationCalendar' })

export type CalendarQuery = z.infer<typeof calendarQuery>
export type CalendarView = z.infer<typeof calendarView>
