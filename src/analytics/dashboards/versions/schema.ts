import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { idParam } from '../../../http/openapi-answers.ts'
import { definitionView } from '../definition.ts'

export const CHANGES_MAX = 1_000

const shape = {
  number: z.int(),
  name: z.string(),
  description: z.string(),
  createdBy: z.string().describe('The name of the user who made it.'),
  createdAt: timestamp,
}
export const versionSummary = z.object(shape).meta({ id: 'DashboardVersionSummary' })
export const versionView = z.object({ ...shape, definition: definitionView }).meta({ id: 'DashboardVersion' })

export const diffQuery = z.object({
  to: idParam.optional().describe('The version that it is compared with; default: the current one.'),
})

export const changeView = z.object({
  op: z.enum(['add', 'remove', 'replace']),
  path: z.string().meta({ examples: ['/definition/widgets/w1/title'] }),
  from: z
    .unknown()
    .optional()
    .meta({ examples: ['Line 1'] }),
  to: z
    .unknown()
    .optional()
    .meta({ examples: ['Line 2'] }),
})

export type VersionSummary = z.output<typeof versionSummary>
export type VersionView = z.output<typeof versionView>
export type ChangeView = z.output<typeof changeView>
