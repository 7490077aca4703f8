import * as z from 'zod'
import { durationMs, isFixedDuration } from '../lib/duration.ts'
import { readJson } from '../lib/json.ts'
import { isLoopbackUrl, urlOf } from '../lib/urls.ts'
import { commaSeparated, composedText, onOff, unusable } from './environment.ts'
import { ROLES } from './roles.ts'
import type { Role } from './roles.ts'

const GROUPS_MAX = 100
const TIMEOUT_MAX_MS = 30_000
const INTERVAL_MIN_MS = 5 * 60_000

/** The filter and the attributes of people, by the kind of directory. */
const SCHEMAS = {
  openldap: {
    filter: '(objectClass=inetOrgPerson)',
    attributes: {
      id: 'entryUUID',
      username: 'uid',
      fullname: 'cn',
      email: 'mail',
      phone: 'telephoneNumber',
      memberOf: 'memberOf',
      member: 'member',
    },
  },
  'active-directory': {
    filter: '(&(objectCategory=person)(objectClass=user))',
    attributes: {
      id: 'objectGUID',
      username: 'sAMAccountName',
      fullname: 'displayName',
      email: 'mail',
      phone: 'telephoneNumber',
      memberOf: 'memberOf',
      member: 'member',
    },
  },
} as const

export type LdapAttributes = Readonly<Record<keyof (typeof SCHEMAS)['openldap']['attributes'], string>>

const groupRule = z
  .strictObject({
    group: z.string().min(1).max(1024),
    role: z.enum(ROLES).optional(),
    userGroup: composedText(255).min(1).optional(),
  })
  .refine(({ role, userGroup }) => role !== undefined || userGroup !== undefined)

/** Maps a group of the directory to a role, to a user group, or to both. */
export type LdapGroupRule = {
  /** Its DN. */
  readonly group: string
  readonly role?: Role | undefined
  readonly userGroup?: string | undefined
}

export const ldapVariables = {
  TIDEMARK_LDAP_URL: z
    .string()
    .regex(
      /^ldaps?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i,
      'must look like ldaps://directory.example.org',
    )
    .refine((url) => urlOf(url) !== null, 'has an invalid port')
    .optional()
    .describe('URL of the LDAP directory of LDAP_MANAGED users.'),
  TIDEMARK_LDAP_START_TLS: onOff('on').describe(
    'Whether ldap: connections use StartTLS; off is allowed on this machine only.',
  ),
  TIDEMARK_LDAP_TLS_VERIFY: onOff('on').describe('Whether the certificate of the directory must be trusted.'),
  TIDEMARK_LDAP_CA: z
    .string()
    .includes('-----BEGIN CERTIFICATE-----', { error: 'must be PEM certificates' })
    .optional()
    .describe(
      "PEM certificates of the authorities that sign the directory's certificate, instead of those that the system trusts.",
    ),
  TIDEMARK_LDAP_BIND_DN: z
    .string()
    .max(1024)
    .default('')
    .describe('DN of the account that the service binds as.'),
  TIDEMARK_LDAP_BIND_PASSWORD: z
    .string()
    .max(1024)
    .default('')
    .describe('Password of that account: a secret.'),
  TIDEMARK_LDAP_BASE_DN: z
    .string()
    .max(1024)
    .default('')
    .describe('DN of the entry at or below which users are.'),
  TIDEMARK_LDAP_SCHEMA: z
    .enum(['openldap', 'active-directory'])
    .default('openldap')
    .describe('The kind of directory, which sets the default filter and attributes.'),
  TIDEMARK_LDAP_USER_FILTER: z
    .string()
    .max(4096)
    .refine(isFilter, 'must be one LDAP filter in parentheses (RFC 4515)')
    .optional()
    .describe('The filter for the entries of users.'),
  TIDEMARK_LDAP_ATTRIBUTES: z
    .string()
    .max(1024)
    .default('')
    .transform((text) => commaSeparated(text).map((pair) => pair.split('=').map((word) => word.trim())))
    .refine(
      (pairs) => pairs.every(isAttribute),
      `must be comma-separated pairs such as username=userPrincipalName, of ${Object.keys(SCHEMAS.openldap.attributes).join(', ')}`,
    )
    .transform((pairs) =>
      Object.fromEntries(pairs.map(([name = '', attribute = '']) => [name, attribute] as const)),
    )
    .describe('Attribute names that differ from the defaults.'),
  TIDEMARK_LDAP_MEMBERSHIP: z
    .enum(['memberOf', 'member'])
    .default('memberOf')
    .describe("Whether a user's entry names its groups (memberOf), or a group's entry its members (member)."),
  TIDEMARK_LDAP_GROUPS: z
    .string()
    .default('[]')
    .transform(readJson)
    .pipe(z.array(groupRule, 'must be a JSON array').max(GROUPS_MAX, `must have at most ${GROUPS_MAX} items`))
    .describe(
      'Roles and user groups by directory group: [{"group": "<DN>", "role": "editor", "userGroup": "…"}].',
    ),
  TIDEMARK_LDAP_TIMEOUT: z
    .string()
    .default('PT5S')
    .refine(
      (text) => isFixedDuration(text, TIMEOUT_MAX_MS, 1),
      'must be an ISO 8601 duration of up to PT30S, such as PT5S',
    )
    .describe('The time limit for connecting to the directory, and for each answer.'),
  TIDEMARK_LDAP_SYNC_INTERVAL: z
    .string()
    .default('PT1H')
    .refine(
      (text) => isFixedDuration(text, Number.MAX_SAFE_INTEGER, INTERVAL_MIN_MS),
      'must be an ISO 8601 duration of PT5M or more, such as PT1H',
    )
    .describe('The interval of directory syncs.'),
}

const ldapSchema = z.object(ldapVariables)

/** The connection to a directory, and the meaning of its entries. */
export type LdapSettings = {
  readonly url: string
  readonly startTls: boolean
  readonly verifies: boolean
  /** The trusted authorities as PEM; null for those that the system trusts. */
  readonly ca: string | null
  readonly bindDn: string
  readonly bindPassword: string
  readonly timeoutMs: number
  readonly baseDn: string
  readonly filter: string
  readonly attributes: LdapAttributes
  /** Whether a bit of `userAccountControl` marks disabled users. */
  readonly hasAccountControl: boolean
  readonly membership: 'memberOf' | 'member'
  readonly groups: readonly LdapGroupRule[]
  readonly syncIntervalMs: number
}

/** The directory in the checked variables; null without one.
 * @throws {RangeError} naming the variables that do not fit each other */
export function ldapSettingsOf(values: z.output<typeof ldapSchema>): LdapSettings | null {
  const url = values.TIDEMARK_LDAP_URL
  if (url === undefined) return null
  const problems = misfitsOf(values, url)
  if (problems.length > 0) throw unusable(problems)
  const kind = SCHEMAS[values.TIDEMARK_LDAP_SCHEMA]
  return {
    url,
    startTls: isPlain(url) && values.TIDEMARK_LDAP_START_TLS === 'on',
    verifies: values.TIDEMARK_LDAP_TLS_VERIFY === 'on',
    ca: values.TIDEMARK_LDAP_CA ?? null,
    bindDn: values.TIDEMARK_LDAP_BIND_DN,
    bindPassword: values.TIDEMARK_LDAP_BIND_PASSWORD,
    timeoutMs: durationMs(values.TIDEMARK_LDAP_TIMEOUT),
    baseDn: values.TIDEMARK_LDAP_BASE_DN,
    filter: values.TIDEMARK_LDAP_USER_FILTER ?? kind.filter,
    attributes: { ...kind.attributes, ...values.TIDEMARK_LDAP_ATTRIBUTES },
    hasAccountControl: values.TIDEMARK_LDAP_SCHEMA === 'active-directory',
    membership: values.TIDEMARK_LDAP_MEMBERSHIP,
    groups: values.TIDEMARK_LDAP_GROUPS,
    syncIntervalMs: durationMs(values.TIDEMARK_LDAP_SYNC_INTERVAL),
  }
}

function misfitsOf(values: z.output<typeof ldapSchema>, url: string): readonly string[] {
  const needed = ['TIDEMARK_LDAP_BIND_DN', 'TIDEMARK_LDAP_BIND_PASSWORD', 'TIDEMARK_LDAP_BASE_DN'] as const
  const missing = needed.filter((name) => values[name] === '')
  const isOpen = isPlain(url) && values.TIDEMARK_LDAP_START_TLS === 'off' && !isLoopbackUrl(url)
  return [
    ...missing.map((name) => `${name} is missing; TIDEMARK_LDAP_URL requires it.`),
    ...(isOpen ? ['TIDEMARK_LDAP_START_TLS can be off only for an ldap: URL of this machine.'] : []),
  ]
}

function isPlain(url: string): boolean {
  return /^ldap:/i.test(url)
}

/** Whether all parentheses of a text are paired, the first with the last character. */
function isFilter(text: string): boolean {
  let depth = 0
  for (let place = 0; place < text.length; place++) {
    if (text[place] === '(') depth++
    if (text[place] === ')') depth--
    const isInside = place < text.length - 1
    if (depth < 0 || (depth === 0 && isInside)) return false
  }
  return text !== '' && depth === 0
}

function isAttribute(pair: readonly string[]): boolean {
  const [name = '', attribute = '', ...more] = pair
  return Object.hasOwn(SCHEMAS.openldap.attributes, name) && /^[\w-]+$/.test(attribute) && more.length === 0
}
