import * as z from 'zod'
import { instantQuery } from '../../../http/instants.ts'
import { nextCursor } from '../../../http/paging.ts'
import { listOf } from '../../tree/browse/schema.ts'
import { listedObject, OBJECT_TYPES } from '../../tree/schema.ts'
import { pageLimit } from '../../tree/search/schema.ts'
import { transitionShape } from '../schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50

export const stateChangesQuery = z.object({
  begin: instantQuery
    .optional()
    .describe('Only changes at or after this instant; default: a day before `end`.'),
  end: instantQuery.optional().describe('Only changes before this instant; default: now.'),
  types: listOf(OBJECT_TYPES).describe(
    'The types of objects whose changes are listed, separated by commas; default: all. A change of a job repeats as a change of its device and of each group above, unless the types leave these out.',
  ),
  limit: pageLimit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: nextCursor,
})

const stateChange = z
  .object({
    ...transitionShape,
    object: listedObject,
    errorCode: z.int().describe('The error code of the job at the change; 0 for other objects.'),
    message: z
      .string()
      .nullable()
      .describe('The message of the delivery, or since when the job is silent; null for none.'),
  })
  .meta({ id: 'StateChange' })

export const stateChangesView = z
  .object({
    items: z.array(stateChange).describe('The changes, latest first.'),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        'The cursor of the next page; null for the last. One call examines a limited number of changes, so a page can have fewer items than `limit`, even none, before the last.',
      ),
  })
  .meta({ id: 'StateChanges' })

export type StateChangesQuery = z.infer<typeof stateChangesQuery>
export type StateChangesView = z.infer<typeof stateChangesView>
