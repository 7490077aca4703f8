import * as z from 'zod'
import { readJson } from '../lib/json.ts'
import { isSafeUrl, urlOf } from '../lib/urls.ts'
import { commaSeparated, composedText, onOff, safeUrl, unusable } from './environment.ts'
import { ROLES } from './roles.ts'
import type { Role } from './roles.ts'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
const ENTRIES_MAX = 1_000

const mappingSchema = z
  .record(
    z.string().max(255),
    z.strictObject({
      role: z.enum(ROLES).optional(),
      userGroups: z.array(composedText(255)).max(ENTRIES_MAX).optional(),
    }),
  )
  .refine((mapping) => Object.keys(mapping).length <= ENTRIES_MAX)

/** The variables of signing in by OpenID Connect (`docs/guides/oidc.md`). */
export const oidcVariables = {
  TIDEMARK_OIDC_ALGORITHM: z
    .enum(ALGORITHMS)
    .default('RS256')
    .describe("The signature algorithm of the provider's tokens; other tokens are refused."),
  TIDEMARK_OIDC_CALLBACK_URL: safeUrl().describe(
    'The URL to which the provider redirects browsers: the URL of this service and /oidc/callback.',
  ),
  TIDEMARK_OIDC_CLIENT_ID: z
    .string()
    .max(255)
    .optional()
    .describe('The client id of this service at the provider.'),
  TIDEMARK_OIDC_CLIENT_SECRET: z
    .string()
    .max(1024)
    .optional()
    .describe('The client secret of this service at the provider.'),
  TIDEMARK_OIDC_CREATE_USERS: onOff('off').describe(
    'Whether an unknown user of the provider is created here at the first login.',
  ),
  TIDEMARK_OIDC_GROUPS_CLAIM: z
    .string()
    .max(255)
    .default('groups')
    .describe('The claim that TIDEMARK_OIDC_MAPPING uses: a string or a list of strings.'),
  TIDEMARK_OIDC_ISSUER: safeUrl().describe(
    "The provider's issuer URL, exactly as in its metadata. Turns OpenID Connect on.",
  ),
  TIDEMARK_OIDC_LABEL: z
    .string()
    .max(100)
    .optional()
    .describe('The name of the provider on the login page; default: the host of the issuer.'),
  TIDEMARK_OIDC_LINK_BY_EMAIL: onOff('off').describe(
    'Whether a user of the provider is linked to the only local user with the same verified mail address.',
  ),
  TIDEMARK_OIDC_MAPPING: z
    .string()
    .transform(readJson)
    .pipe(mappingSchema)
    .optional()
    .describe(
      'Roles and user groups by claim value, as JSON: {"ops": {"role": "editor", "userGroups": ["Operations"]}}; `*` matches everyone.',
    ),
  TIDEMARK_OIDC_RETURN_URLS: z
    .string()
    .default('')
    .transform(commaSeparated)
    .refine(
      (urls) => urls.every((url) => isSafeUrl(url) && urlOf(url)?.hash === '' && !url.endsWith('#')),
      'must be comma-separated https: URLs, or http: on this machine, without a fragment',
    )
    .describe(
      'Comma-separated pages of other front ends to which browsers may return after a login; the first is the default.',
    ),
  TIDEMARK_OIDC_SCOPE: z
    .string()
    .default('openid profile email')
    .refine((scope) => scope.split(' ').includes('openid'), 'must contain openid')
    .describe('The scopes that are requested from the provider.'),
  TIDEMARK_OIDC_TRUSTED_MFA: z
    .string()
    .default('')
    .transform(commaSeparated)
    .describe(
      'Comma-separated values of amr or acr with which logins need no MFA of Tidemark; default: none.',
    ),
}

/** Maps claims of the provider to roles and user groups. */
export type OidcMapping = Readonly<
  Record<string, { readonly role?: Role | undefined; readonly userGroups?: readonly string[] | undefined }>
>

export type OidcSettings = {
  readonly algorithm: (typeof ALGORITHMS)[number]
  readonly callbackUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly createsUsers: boolean
  readonly groupsClaim: string
  readonly issuer: string
  readonly label: string
  readonly linksByEmail: boolean
  readonly mapping: OidcMapping | null
  readonly returnUrls: readonly string[]
  readonly scope: string
  readonly trustedMfa: readonly string[]
}

/** The settings that checked variables stand for; null without an issuer.
 * @throws {RangeError} naming what is missing beside it */
export function oidcSettingsOf(values: z.output<z.ZodObject<typeof oidcVariables>>): OidcSettings | null {
  const {
    TIDEMARK_OIDC_ISSUER: issuer,
    TIDEMARK_OIDC_CALLBACK_URL: callbackUrl,
    TIDEMARK_OIDC_CLIENT_ID: clientId,
    TIDEMARK_OIDC_CLIENT_SECRET: clientSecret,
    TIDEMARK_OIDC_RETURN_URLS: returnUrls,
  } = values
  if (issuer === undefined) return null
  if (!callbackUrl || !clientId || !clientSecret)
    throw unusable([
      'TIDEMARK_OIDC_ISSUER requires TIDEMARK_OIDC_CALLBACK_URL, TIDEMARK_OIDC_CLIENT_ID and TIDEMARK_OIDC_CLIENT_SECRET.',
    ])
  return {
    algorithm: values.TIDEMARK_OIDC_ALGORITHM,
    callbackUrl,
    clientId,
    clientSecret,
    createsUsers: values.TIDEMARK_OIDC_CREATE_USERS === 'on',
    groupsClaim: values.TIDEMARK_OIDC_GROUPS_CLAIM,
    issuer,
    label: values.TIDEMARK_OIDC_LABEL ?? new URL(issuer).host,
    linksByEmail: values.TIDEMARK_OIDC_LINK_BY_EMAIL === 'on',
    mapping: values.TIDEMARK_OIDC_MAPPING ?? null,
    returnUrls,
    scope: values.TIDEMARK_OIDC_SCOPE,
    trustedMfa: values.TIDEMARK_OIDC_TRUSTED_MFA,
  }
}
