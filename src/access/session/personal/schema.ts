import * as z from 'zod'
import { areDistinct } from '../../../lib/same.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { instantQuery, timestamp } from '../../../http/instants.ts'

/** The scopes that a token can have: neither `account` nor `administration`. */
const GRANTED = ['read', 'write', 'execute', 'backup'] as const

export const personalTokenBody = z.strictObject({
  name: storableText.trim().min(1).max(255),
  scopes: z
    .array(z.enum(GRANTED))
    .min(1)
    .max(GRANTED.length)
    .refine(areDistinct, 'must be different')
    .describe(
      '`execute` delivers values and runs scripts; `backup` makes, reads and deletes backups, and requires an administrator.',
    ),
  expiresAt: instantQuery.describe('Within 366 days.'),
})

export const personalTokenView = z
  .object({
    id: z.int(),
    name: z.string(),
    scopes: z.array(z.enum(GRANTED)),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'PersonalToken' })

export const newPersonalTokenView = personalTokenView.extend({
  token: z.string().describe('The token for `Authorization: Bearer`; it is shown only once.'),
})

export type PersonalTokenBody = z.infer<typeof personalTokenBody>
export type PersonalTokenView = z.infer<typeof personalTokenView>
