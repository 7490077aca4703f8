import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { shownOnly } from '../../../http/openapi-answers.ts'
import { composedName, storableText } from '../../../http/text-schemas.ts'

export const GROUPS_MAX = 200
const DESCRIPTION_MAX = 4_000

const parentId = z.int().positive().nullable()

export const groupBody = z
  .strictObject({
    id: shownOnly,
    createdAt: shownOnly,
    updatedAt: shownOnly,
    name: composedName.describe('No other group of this parent has it, in any letter case.'),
    description: storableText.max(DESCRIPTION_MAX).default(''),
    parentId: parentId
      .default(null)
      .describe('The group around it; null for none. Another one moves the group.'),
  })
  .meta({ examples: [{ name: 'Sales' }] })

export const groupView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    parentId: parentId.describe('The group around it; null for none.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'DataQueryGroup' })

export type GroupBody = z.output<typeof groupBody>
export type GroupView = z.output<typeof groupView>
