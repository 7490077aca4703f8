import type { DirectoryEntry, DirectoryQuery } from '../../ports/directory.ts'
import type { LdapSettings } from '../../ports/ldap-settings.ts'
import { startOf, storable } from '../../lib/text.ts'
import { mailAddress, usernameSchema } from '../users/schema.ts'
import { normalDn } from './dn.ts'

const TEXT_MAX = 255
const PHONE_MAX = 64
/** The bit ACCOUNTDISABLE of `userAccountControl`. */
const IS_DISABLED = 2
/** The attributes whose ids are bytes, not text. */
const BINARY_IDS: ReadonlySet<string> = new Set(['objectguid'])

/** A person as the directory shows them. */
export type Person = {
  readonly dn: string
  /** The id that stays when the person is renamed or moved. */
  readonly directoryId: string
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly phone: string
  readonly isDisabled: boolean
  /** Which of the group rules apply, by their places. */
  readonly rules: readonly number[]
}

/** An entry that cannot be a user, and why. */
export type Unusable = { readonly dn: string; readonly directoryId: string | null; readonly fault: string }

/** The groups of the rules as the directory shows them: their names, and where their entries name them, their members. */
export type Groups = {
  readonly dns: readonly string[]
  readonly members: readonly ReadonlySet<string>[]
}

/** The filter for people: all, or the ones with one of these values. */
export function peopleQuery(
  ldap: LdapSettings,
  oneOf?: { readonly attribute: 'id' | 'username'; readonly values: readonly string[] },
): DirectoryQuery {
  const { attributes, baseDn, filter } = ldap
  const { member: _member, memberOf, ...own } = attributes
  return {
    dn: baseDn,
    scope: 'sub',
    filter,
    ...(oneOf && { oneOf: { attribute: attributes[oneOf.attribute], values: oneOf.values } }),
    attributes: [
      ...Object.values(own),
      ...(ldap.membership === 'memberOf' ? [memberOf] : []),
      ...(ldap.hasAccountControl ? ['userAccountControl'] : []),
    ],
    bytes: BINARY_IDS.has(attributes.id.toLowerCase()) ? [attributes.id] : [],
  }
}

/** The person of an entry; long values are cut, and an invalid mail address is left out. */
export function personOf(entry: DirectoryEntry, ldap: LdapSettings, groups: Groups): Person | Unusable {
  const { attributes } = ldap
  const all = (attribute: string) => entry.values.get(attribute.toLowerCase()) ?? []
  const first = (attribute: string) => all(attribute)[0]?.trim() ?? ''
  const { dn } = entry
  const directoryId = first(attributes.id).toLowerCase()
  if (directoryId === '') return { dn, directoryId: null, fault: `has no ${attributes.id}` }
  if (all(attributes.username).length > 1)
    return { dn, directoryId, fault: `has more than one ${attributes.username}` }
  const username = usernameSchema.safeParse(first(attributes.username))
  if (!username.success)
    return { dn, directoryId, fault: `has no ${attributes.username} that is a valid username` }
  return {
    dn,
    directoryId,
    username: username.data,
    fullname: startOf(storable(first(attributes.fullname)), TEXT_MAX),
    email: mailAddress.safeParse(first(attributes.email)).data ?? '',
    phone: startOf(storable(first(attributes.phone)), PHONE_MAX),
    isDisabled: ldap.hasAccountControl && (Number(first('userAccountControl')) & IS_DISABLED) !== 0,
    rules: rulesOf(ldap, groups, normalDn(dn), new Set(all(attributes.memberOf).map(normalDn))),
  }
}

function rulesOf(
  ldap: LdapSettings,
  { dns, members }: Groups,
  dn: string,
  memberOf: ReadonlySet<string>,
): readonly number[] {
  const isIn = (place: number) =>
    ldap.membership === 'memberOf' ? memberOf.has(dns[place] ?? '') : members[place]?.has(dn) === true
  return [...ldap.groups.keys()].filter(isIn)
}
