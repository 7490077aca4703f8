import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { codeSchema } from '../session/mfa/schema.ts'

/** 256 bits in base64url, without padding: a verifier of RFC 7636, or the SHA-256 of one. */
const secret = z.string().regex(/^[\w-]{43}$/, 'must be 43 letters and digits of base64url')
const given = z.string().min(1).max(4096)

export const loginQuery = z.object({
  challenge: secret.describe('SHA-256 of a random `verifier` that the page keeps to itself, in base64url.'),
  returnUrl: z.string().max(2048).optional().describe('One of the configured pages; default: the first.'),
})

export const callbackQuery = z.object({
  state: given,
  code: given.optional(),
  error: z.string().max(255).optional(),
  iss: z.string().max(2048).optional(),
})

export const sessionBody = z.strictObject({
  loginCode: secret.describe('From the fragment of the page, within a minute.'),
  verifier: secret.describe('Whose SHA-256 the login began with.'),
  code: codeSchema.optional().describe('Of the authenticator, or a recovery code, where MFA is active.'),
})

export const logoutView = z.object({
  url: z
    .string()
    .nullable()
    .describe('Where the provider ends its session; null where there is no such place.'),
})

export const identityBody = z.strictObject({
  subject: storableText.min(1).max(255).describe('What the provider calls the user: the claim `sub`.'),
})
export const identityView = z.object({ issuer: z.string(), subject: z.string() }).meta({ id: 'Identity' })

export type LoginQuery = z.infer<typeof loginQuery>
export type SessionBody = z.infer<typeof sessionBody>
export type IdentityView = z.infer<typeof identityView>
