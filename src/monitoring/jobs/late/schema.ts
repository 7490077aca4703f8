import * as z from 'zod'
import { instantQuery, timestamp } from '../../../http/instants.ts'
import { nextCursor } from '../../../http/paging.ts'
import { STATES } from '../../../domain/state.ts'
import { listedObject } from '../../tree/schema.ts'
import { pageLimit } from '../../tree/search/schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50

export const lateJobsQuery = z.object({
  before: instantQuery.optional().describe('Only jobs whose `nextTimeoutAt` is before this instant.'),
  limit: pageLimit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: nextCursor,
})

const lateJob = z
  .object({
    object: listedObject,
    state: z.enum(STATES),
    usualInterval: z
      .string()
      .meta({ format: 'duration' })
      .describe('The `interval` of the job; if it is `PT0S`, the median distance of its last values.'),
    lastReceivedAt: timestamp.nullable().describe('When the latest delivery arrived; null before the first.'),
    lateSince: timestamp.describe('The instant halfway between the usual next delivery and `nextTimeoutAt`.'),
    nextTimeoutAt: timestamp.describe('When the job times out without another delivery.'),
  })
  .meta({ id: 'LateJob' })

export const lateJobsView = z
  .object({
    items: z.array(lateJob).describe('The late jobs, by `nextTimeoutAt`.'),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        'The cursor of the next page; null for the last. One call examines a limited number of jobs, so a page can have fewer items than `limit`, even none, before the last, and `nextTimeoutAt` can begin again with the next page.',
      ),
  })
  .meta({ id: 'LateJobs' })

export type LateJobsQuery = z.infer<typeof lateJobsQuery>
export type LateJobsView = z.infer<typeof lateJobsView>
