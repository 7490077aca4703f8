import * as z from 'zod'

export const codeSchema = z.string().min(6).max(64)
export const codeBody = z.strictObject({ code: codeSchema })
export const enforceBody = z.strictObject({ isEnforced: z.boolean() })

export const mfaView = z
  .object({
    isActive: z.boolean().describe('Whether logins require a code.'),
    isEnforced: z.boolean().describe('Whether an administrator enforces MFA for the user.'),
    recoveryCodesLeft: z.int().describe('The number of unused recovery codes; each can be used once.'),
  })
  .meta({ id: 'Mfa' })

export const usersMfaView = z
  .object({
    userId: z.int(),
    isActive: mfaView.shape.isActive,
    isEnforced: mfaView.shape.isEnforced,
  })
  .meta({ id: 'UserMfa' })

export const mfaSecretView = z.object({
  secret: z.string().describe('The secret in base32, for an authenticator (RFC 6238).'),
  uri: z.string().describe('The secret as an `otpauth:` URL, for a QR code.'),
})

export const recoveryCodesView = z.object({
  recoveryCodes: z
    .array(z.string())
    .describe('Each code is valid for one login. The codes are shown only once.'),
})
