import { mailAddress } from '../users/schema.ts'
import type { Role } from '../../ports/roles.ts'
import type { OidcMapping, OidcSettings } from '../../ports/oidc-settings.ts'

type Claims = Readonly<Record<string, unknown>>

/** The user fields that claims of the provider determine. */
export type Profile = {
  readonly username: string
  readonly fullname: string | null
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly language: string | null
  /** Null where the mapping gives none. */
  readonly role: Role | null
  /** The names of the user's groups, and of all user groups that the mapping names. */
  readonly userGroups: { readonly in: readonly string[]; readonly of: readonly string[] }
  /** Whether the provider checked a second factor of `trustedMfa`. */
  readonly isStrong: boolean
}

const TEXT_MAX = 255
const EVERYBODY = '*'

/** The roles, the one with most rights first. */
const BY_RANK: readonly Role[] = ['administrator', 'editor', 'Data_Editor', 'collector', 'dashboard_viewer']

/** Maps claims (OpenID Connect Core 1.0, section 5.1) to the fields of a user. Of several roles the one with most rights
 * counts, and user groups add up. */
export function profileOf(
  claims: Claims,
  { groupsClaim, mapping, trustedMfa }: Pick<OidcSettings, 'groupsClaim' | 'mapping' | 'trustedMfa'>,
): Profile {
  const email = mailAddress.safeParse(claims['email']).data ?? null
  const entries = mapping === null ? [] : entriesFor(mapping, listOf(claims[groupsClaim]))
  const roles = new Set(entries.map(({ role }) => role))
  const ways = [...listOf(claims['amr']), ...listOf(claims['acr'])]
  return {
    username: (textOf(claims['preferred_username']) ?? email ?? textOf(claims['sub']) ?? '').normalize('NFC'),
    fullname: textOf(claims['name']),
    email,
    isEmailVerified: email !== null && claims['email_verified'] === true,
    language: languageOf(claims['locale']),
    role: BY_RANK.find((role) => roles.has(role)) ?? null,
    userGroups: {
      in: [...new Set(entries.flatMap(({ userGroups = [] }) => userGroups))],
      of: [...new Set(Object.values(mapping ?? {}).flatMap(({ userGroups = [] }) => userGroups))],
    },
    isStrong: ways.some((way) => trustedMfa.includes(way)),
  }
}

/** The entries of groups, whose names are compared composed (NFC). */
function entriesFor(mapping: OidcMapping, groups: readonly string[]) {
  const named = new Set([EVERYBODY, ...groups.map((group) => group.normalize('NFC'))])
  return Object.entries(mapping)
    .filter(([name]) => named.has(name.normalize('NFC')))
    .map(([, entry]) => entry)
}

function listOf(claim: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return list.filter((one) => typeof one === 'string')
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' && claim.length <= TEXT_MAX ? claim : null
}

/** Some providers write `de_CH` (OpenID Connect Core 1.0, section 5.1). */
function languageOf(claim: unknown): string | null {
  const tag = textOf(claim)?.replaceAll('_', '-') ?? ''
  return /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : null
}
