import * as z from 'zod'
import { withoutRepeats } from '../../http/lists.ts'
import { STATES } from '../../domain/state.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'
import { nameSchema } from '../../http/text-schemas.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'

const CHILDREN_MAX = 50
const DAYS_MAX = 90
const LIST_MAX = 200
const LIST_DEFAULT = 100
/** Longer than any token; longer texts are unknown tokens, too. */
const TOKEN_MAX = 64

export const statusPageBody = z.strictObject({
  title: nameSchema
    .nullable()
    .default(null)
    .describe('The title of the page and the badge; null for the name of the object.'),
  days: z
    .int()
    .min(1)
    .max(DAYS_MAX)
    .default(30)
    .describe('The number of days, including today, for which the availability is shown.'),
  children: z
    .array(z.int().positive())
    .max(CHILDREN_MAX)
    .default([])
    .superRefine(withoutRepeats())
    .describe(
      'The ids of the objects below or linked to the object that are shown as components, in this order.',
    ),
})

export const statusPageView = z
  .object({
    title: z.string().nullable(),
    days: z.int().describe('The number of days, including today, for which the availability is shown.'),
    children: z.array(z.object({ id: z.int(), type: z.enum(OBJECT_TYPES), name: z.string() })),
    page: z.string().describe('The path of the page. Anyone who knows it can read the page.'),
    badge: z.string().describe('The path of the badge.'),
  })
  .meta({ id: 'StatusPage' })

export const listedStatusPage = z
  .object({
    object: z.object({
      id: z.int(),
      type: z.enum(OBJECT_TYPES),
      name: z.string(),
      state: z.enum(STATES),
    }),
    title: z.string().nullable(),
    days: statusPageView.shape.days,
    components: z.int().describe('The number of components on the page.'),
    page: statusPageView.shape.page,
    badge: statusPageView.shape.badge,
  })
  .meta({ id: 'ListedStatusPage' })

export const statusPagesQuery = z.object({
  limit: pageLimit(LIST_MAX).default(LIST_DEFAULT),
  cursor: linkCursor,
})

export type ListedStatusPage = z.infer<typeof listedStatusPage>
export type StatusPageBody = z.output<typeof statusPageBody>
export type StatusPageView = z.infer<typeof statusPageView>

export const publicPath = z.object({ token: z.string().max(TOKEN_MAX) })

export const badgeQuery = z.object({
  show: z.enum(['state', 'availability']).default('state').describe('The content of the badge.'),
})
