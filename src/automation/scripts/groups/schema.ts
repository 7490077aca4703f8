import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { shownOnly } from '../../../http/openapi-answers.ts'
import { composedName, storableText } from '../../../http/text-schemas.ts'

const DESCRIPTION_MAX = 4_000

export const groupBody = z.strictObject({
  id: shownOnly,
  createdAt: shownOnly,
  updatedAt: shownOnly,
  name: composedName,
  description: storableText.max(DESCRIPTION_MAX).default(''),
})

export const groupView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ScriptGroup' })

export type GroupBody = z.output<typeof groupBody>
export type GroupView = z.output<typeof groupView>
