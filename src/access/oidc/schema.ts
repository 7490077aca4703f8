import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { codeSchema } from '../session/mfa/schema.ts'

/** 256 bits in base64url, without padding: a verifier of RFC 7636, or the SHA-256 of one. */
const secret = z.string().regex(/^[\w-]{43}$/, 'must be 43 characters of base64url')
const given = z.string().min(1).max(4096)

const BESIDE = 'must be absent beside returnTo'

export const loginQuery = z
  .object({
    challenge: secret
      .optional()
      .describe('SHA-256 of a random `verifier` that the page keeps to itself, in base64url.'),
    returnUrl: z
      .string()
      .max(2048)
      .optional()
      .describe('The page to return to, one of TIDEMARK_OIDC_RETURN_URLS; default: the first.'),
    returnTo: z
      .string()
      .max(1024)
      .optional()
      .describe(
        'For pages of this service, in place of the other two: the path below /ui/ to open after the login.',
      ),
  })
  .superRefine(({ challenge, returnUrl, returnTo }, context) => {
    const fault = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message })
    if (returnTo === undefined && challenge === undefined) fault('challenge', 'is missing')
    if (returnTo !== undefined && challenge !== undefined) fault('challenge', BESIDE)
    if (returnTo !== undefined && returnUrl !== undefined) fault('returnUrl', BESIDE)
  })

export const callbackQuery = z.object({
  state: given.describe('The state that the login gave to the provider.'),
  code: given.optional(),
  error: z.string().max(255).optional(),
  iss: z.string().max(2048).optional(),
})

export const sessionBody = z
  .strictObject({
    loginCode: secret
      .optional()
      .describe('The code in the fragment of the returned page; it expires after a minute.'),
    verifier: secret.optional().describe('The random value whose SHA-256 the login was started with.'),
    code: codeSchema
      .optional()
      .describe('A code of the authenticator, or a recovery code, if MFA is active.'),
    cookie: z
      .boolean()
      .optional()
      .describe(
        'True after a login with `returnTo`: `loginCode` and `verifier` are in a cookie, and the answer is as of POST /session/login with `cookie`.',
      ),
  })
  .superRefine(({ cookie = false, ...body }, context) => {
    for (const name of ['loginCode', 'verifier'] as const) {
      const message = cookie ? 'must be absent beside cookie' : 'is missing'
      if ((body[name] === undefined) !== cookie) context.addIssue({ code: 'custom', path: [name], message })
    }
  })

export const logoutView = z.object({
  url: z.string().nullable().describe("The provider's logout URL; null if the provider has none."),
})

export const identityBody = z.strictObject({
  subject: storableText.min(1).max(255).describe("The provider's identifier of the user: the claim `sub`."),
})
export const identityView = z.object({ issuer: z.string(), subject: z.string() }).meta({ id: 'Identity' })

export const identitiesView = z.object({
  items: z.array(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('oidc'), ...identityView.shape }),
      z.object({ kind: z.literal('ldap'), directoryId: z.string() }),
    ]),
  ),
})

export type IdentitiesView = z.infer<typeof identitiesView>
export type IdentityView = z.infer<typeof identityView>
