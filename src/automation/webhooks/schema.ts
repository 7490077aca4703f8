import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { instantQuery } from '../../http/instants.ts'
import { composedName } from '../../monitoring/tree/schema.ts'
import { chosenConfiguration } from '../scripts/run-configurations/schema.ts'

/** A week. */
const GRACE_MAX_S = 7 * 86_400

export const webhookBody = z.strictObject({
  name: composedName,
  runConfigurationId: chosenConfiguration,
  expiresAt: instantQuery.nullable().default(null).describe('Null: until it is revoked.'),
  hmac: z.boolean().default(false).describe('Whether every call has to be signed.'),
})

export const rotateBody = z.strictObject({
  graceSeconds: z.int().min(0).max(GRACE_MAX_S).default(0).describe('How long the token of before works on.'),
})

const shown = {
  id: z.int(),
  name: z.string(),
  runConfigurationId: z.int().nullable(),
  hmac: z.boolean(),
  userId: z.int().describe('In whose name it runs.'),
  problem: z.string().nullable().describe('Why calls are refused, and what to do; null for nothing.'),
  createdAt: z.iso.datetime({ offset: true }),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
  lastUsedAt: z.iso.datetime({ offset: true }).nullable(),
  formerUntil: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('Until when the token of before works on.'),
}

export const webhookView = z.object(shown).meta({ id: 'WebhookToken' })

export const newWebhookView = z
  .object({
    ...shown,
    token: z.string().describe('Shown this once.'),
    path: z.string().describe('For senders that can set a URL and nothing else.'),
    signingKey: z.string().nullable().describe('Shown this once; null where calls are not signed.'),
  })
  .meta({ id: 'CreatedWebhookToken' })

export const webhookPath = z.object({ script: z.string().min(1).max(255), id: idParam })
export const triggerPath = z.object({ token: z.string().regex(/^tmw_[\w-]{43}$/) })

export type WebhookBody = z.output<typeof webhookBody>
export type WebhookView = z.output<typeof webhookView>
export type NewWebhookView = z.output<typeof newWebhookView>
