import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../http/instants.ts'
import { composedName } from '../../http/text-schemas.ts'
import { chosenConfiguration } from '../scripts/run-configurations/schema.ts'

/** A week. */
const GRACE_MAX_S = 7 * 86_400

export const webhookBody = z.strictObject({
  name: composedName,
  runConfigurationId: chosenConfiguration,
  expiresAt: instantQuery
    .nullable()
    .default(null)
    .describe('The end of validity; null: valid until revoked.'),
  hmac: z.boolean().default(false).describe('Whether every call must be signed.'),
})

export const rotateBody = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(GRACE_MAX_S)
    .default(0)
    .describe('How long the previous token stays valid.'),
})

const shown = {
  id: z.int(),
  name: z.string(),
  runConfigurationId: z.int().nullable(),
  hmac: z.boolean(),
  userId: z.int().describe('The user that the script runs as.'),
  problem: z.string().nullable().describe('Why calls are refused, and what to do; null if they are not.'),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  formerUntil: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('Until when the previous token is valid.'),
}

export const webhookView = z.object(shown).meta({ id: 'WebhookToken' })

export const newWebhookView = z
  .object({
    ...shown,
    token: z.string().describe('The token; it is shown only once.'),
    path: z.string().describe('The URL with the token, for senders that can only set a URL.'),
    signingKey: z
      .string()
      .nullable()
      .describe('The signing key; it is shown only once. Null if calls are not signed.'),
  })
  .meta({ id: 'CreatedWebhookToken' })

export const webhookPath = z.object({ script: z.string().min(1).max(255), id: idParam })
export const triggerPath = z.object({ token: z.string().regex(/^tmw_[\w-]{43}$/) })

export type WebhookBody = z.output<typeof webhookBody>
export type WebhookView = z.output<typeof webhookView>
export type NewWebhookView = z.output<typeof newWebhookView>
