import * as z from 'zod'
import { durationMs, isFixedDuration } from '../lib/duration.ts'
import { isTimeZone } from '../lib/time.ts'
import { urlOf } from '../lib/urls.ts'
import { backupSettingsOf, backupVariables } from './backup-settings.ts'
import type { BackupSettings } from './backup-settings.ts'
import { commaSeparated, onOff, safeUrl, unusable, wholeNumber } from './environment.ts'
import { ldapSettingsOf, ldapVariables } from './ldap-settings.ts'
import type { LdapSettings } from './ldap-settings.ts'
import { notificationSettingsOf, notificationVariables } from './notification-settings.ts'
import type { NotificationSettings } from './notification-settings.ts'
import { oidcSettingsOf, oidcVariables } from './oidc-settings.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { traceSettingsOf, traceVariables } from './trace-settings.ts'
import type { TraceSettings } from './trace-settings.ts'

const HISTORY_MAX = 24

/** The variables that every host takes; a host adds its own with `extend`. */
export const settingsSchema = z.object({
  ...backupVariables,
  ...ldapVariables,
  ...notificationVariables,
  ...oidcVariables,
  ...traceVariables,
  TIDEMARK_TIME_ZONE: z
    .string()
    .default('UTC')
    .refine(isTimeZone, 'is not a time zone known to this system; an example is Europe/Zurich')
    .describe('The time zone of the service, whose offset all timestamps have, such as Europe/Zurich.'),
  TIDEMARK_BASE_PATH: z
    .string()
    .default('')
    .refine((path) => path === '' || /^(\/[\w.~-]+)+$/.test(path), 'must be empty or look like /monitoring')
    .describe('The context path before every route.'),
  TIDEMARK_ADMIN_PASSWORD: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(1024)
    .optional()
    .describe(
      'Password for the administrator `admin`, which is then created at the first start (unattended set-up).',
    ),
  TIDEMARK_FIRST_OBJECTS: onOff('on').describe(
    'Whether the first start creates a device with a webhook job to try the service.',
  ),
  TIDEMARK_ACCESS_LOG: onOff('off').describe('Whether every request is logged, without secrets and queries.'),
  TIDEMARK_CORS_ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform(commaSeparated)
    .refine(
      (origins) => origins.every(isOrigin),
      'must be comma-separated origins such as https://example.org',
    )
    .describe('Origins whose pages may call the service (cors.allowed.origins).'),
  TIDEMARK_QUERY_CREDENTIALS: onOff('on').describe(
    'Whether passwords and session ids are accepted in the query of a URL (legacy.queryCredentials).',
  ),
  TIDEMARK_PASSWORD_LENGTH_MIN: wholeNumber(8, 128)
    .default(8)
    .describe('Minimum length of a new password, 8 to 128.'),
  TIDEMARK_PASSWORD_HISTORY: wholeNumber(0, HISTORY_MAX)
    .default(5)
    .describe(`Number of previous passwords that users cannot choose again, 0 to ${HISTORY_MAX}.`),
  TIDEMARK_PASSWORD_MAX_AGE: z
    .string()
    .refine(isFixedDuration, 'must be an ISO 8601 duration such as P90D')
    .optional()
    .describe('The time after which a password must be changed; default: never.'),
  SVC_WEBSERVICE_auth_service_url: safeUrl().describe(
    'URL of the external service that checks the passwords of LDAP_MANAGED users.',
  ),
  TIDEMARK_RUNNER_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,1024}$/, 'must have at least 32 visible ASCII characters')
    .optional()
    .describe('The token with which script runners register.'),
  TIDEMARK_TRANSLATION_PROVIDER: z
    .enum(['libretranslate', 'deepl'])
    .default('libretranslate')
    .describe('The API of the service at TIDEMARK_TRANSLATION_URL.'),
  TIDEMARK_TRANSLATION_URL: safeUrl().describe(
    'URL of the machine translation service, such as https://api.deepl.com.',
  ),
})

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && urlOf(text)?.origin === text
}

/** The settings that both hosts read from their environment. */
export type Settings = NotificationSettings & {
  readonly timeZone: string
  readonly basePath: string
  readonly adminPassword: string | null
  readonly makesFirstObjects: boolean
  readonly logsAccess: boolean
  readonly corsAllowedOrigins: ReadonlySet<string>
  readonly takesQueryCredentials: boolean
  readonly passwords: PasswordSettings
  /** The URL of the external service that checks the passwords of LDAP_MANAGED users; null without one. */
  readonly authServiceUrl: string | null
  readonly ldap: LdapSettings | null
  /** Null without sign-in by OpenID Connect. */
  readonly oidc: OidcSettings | null
  /** The token with which runners register; null where none can. */
  readonly runnerToken: string | null
  /** The service that translates texts over HTTP; null without one. */
  readonly translation: TranslationSettings | null
  /** Null without scheduled backups. */
  readonly backups: BackupSettings | null
  /** Null without traces. */
  readonly traces: TraceSettings | null
}

export type TranslationSettings = {
  readonly provider: 'libretranslate' | 'deepl'
  readonly url: string
}

export type PasswordSettings = {
  readonly lengthMin: number
  readonly history: number
  readonly maxAgeMs: number | null
}

/** The settings that checked variables stand for. @throws {RangeError} where some of them do not fit each other */
export function settingsOf(values: z.output<typeof settingsSchema>): Settings {
  const maxAge = values.TIDEMARK_PASSWORD_MAX_AGE
  const authServiceUrl = values.SVC_WEBSERVICE_auth_service_url ?? null
  const ldap = ldapSettingsOf(values)
  if (ldap && authServiceUrl !== null)
    throw unusable(['TIDEMARK_LDAP_URL and SVC_WEBSERVICE_auth_service_url both check passwords: set one.'])
  const url = values.TIDEMARK_TRANSLATION_URL
  return {
    timeZone: values.TIDEMARK_TIME_ZONE,
    basePath: values.TIDEMARK_BASE_PATH,
    adminPassword: values.TIDEMARK_ADMIN_PASSWORD ?? null,
    logsAccess: values.TIDEMARK_ACCESS_LOG === 'on',
    makesFirstObjects: values.TIDEMARK_FIRST_OBJECTS === 'on',
    corsAllowedOrigins: new Set(values.TIDEMARK_CORS_ALLOWED_ORIGINS),
    takesQueryCredentials: values.TIDEMARK_QUERY_CREDENTIALS === 'on',
    passwords: {
      lengthMin: values.TIDEMARK_PASSWORD_LENGTH_MIN,
      history: values.TIDEMARK_PASSWORD_HISTORY,
      maxAgeMs: maxAge === undefined ? null : durationMs(maxAge),
    },
    authServiceUrl,
    ldap,
    oidc: oidcSettingsOf(values),
    ...notificationSettingsOf(values),
    runnerToken: values.TIDEMARK_RUNNER_TOKEN ?? null,
    backups: backupSettingsOf(values),
    traces: traceSettingsOf(values),
    translation: url === undefined ? null : { provider: values.TIDEMARK_TRANSLATION_PROVIDER, url },
  }
}
