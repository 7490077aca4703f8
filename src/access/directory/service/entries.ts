import { Refusal } from '../../../lib/errors.ts'
import type { Directory, DirectoryConnection } from '../../../ports/directory.ts'
import type { Ports } from '../../../ports/index.ts'
import type { LdapSettings } from '../../../ports/ldap-settings.ts'
import { normalDn } from '../dn.ts'
import { peopleQuery, personOf } from '../people.ts'
import type { Groups, Person, Unusable } from '../people.ts'
import type { StoredUser } from '../plan.ts'

/** The greatest number of members of a user group. */
const PEOPLE_MAX = 10_000
const ASKED_AT_ONCE = 50
const NO_GROUPS: Groups = { dns: [], members: [] }

/** The directory and its settings. @throws {Refusal} conflict without a configured directory */
export function settingsOf({ directory, settings }: Ports): { directory: Directory; ldap: LdapSettings } {
  if (!directory || !settings.ldap)
    throw new Refusal('conflict', 'No directory is configured. Set TIDEMARK_LDAP_URL.')
  return { directory, ldap: settings.ldap }
}

/** The groups of the settings. @throws {Refusal} conflict for a group that does not exist, or whose members are cut off */
export async function readGroups(connection: DirectoryConnection, ldap: LdapSettings): Promise<Groups> {
  const dns: string[] = []
  const members: ReadonlySet<string>[] = []
  const { member } = ldap.attributes
  const hasMembers = ldap.membership === 'member'
  const query = { scope: 'base', filter: '(objectClass=*)', bytes: [] } as const
  for (const [place, { group }] of ldap.groups.entries()) {
    const where = `The group of entry ${place} (from 0) of TIDEMARK_LDAP_GROUPS`
    const attributes = [hasMembers ? member : '1.1']
    const [entry] = await gather(connection.search({ ...query, dn: group, attributes }), 1)
    if (!entry) throw new Refusal('conflict', `${where} does not exist in the directory.`)
    // Active Directory returns the first 1,500 members in an attribute of another name.
    if ([...entry.values.keys()].some((name) => name.includes(';range=')))
      throw new Refusal(
        'conflict',
        `${where} has too many members for one answer. Set TIDEMARK_LDAP_MEMBERSHIP=memberOf.`,
      )
    dns.push(normalDn(entry.dn))
    members.push(new Set(entry.values.get(member.toLowerCase())?.map(normalDn)))
  }
  return { dns, members }
}

/** All people of the directory. @throws {Refusal} conflict when the directory has no people or too many */
export async function readPeople(
  connection: DirectoryConnection,
  ldap: LdapSettings,
  groups: Groups,
): Promise<readonly (Person | Unusable)[]> {
  const found: (Person | Unusable)[] = []
  for await (const page of connection.search(peopleQuery(ldap))) {
    for (const entry of page) found.push(personOf(entry, ldap, groups))
    if (found.length > PEOPLE_MAX)
      throw new Refusal(
        'conflict',
        `The directory has more than ${PEOPLE_MAX} users. Narrow TIDEMARK_LDAP_USER_FILTER.`,
      )
  }
  // A wrong filter would disable all users.
  if (found.length === 0)
    throw new Refusal(
      'conflict',
      'The directory has no users. Check TIDEMARK_LDAP_BASE_DN and TIDEMARK_LDAP_USER_FILTER.',
    )
  return found
}

/** Searches for each user that a list of the directory lacks, because a list may be incomplete without an error.
 * @throws {Refusal} unavailable if the directory has one of the users */
export async function confirmGone(
  connection: DirectoryConnection,
  ldap: LdapSettings,
  gone: readonly StoredUser[],
): Promise<void> {
  const ids = gone.flatMap(({ directoryId }) => directoryId ?? [])
  const names = gone.flatMap(({ directoryId, username }) => (directoryId === null ? [username] : []))
  for (const [attribute, all] of [['id', ids] as const, ['username', names] as const]) {
    for (let from = 0; from < all.length; from += ASKED_AT_ONCE) {
      const values = all.slice(from, from + ASKED_AT_ONCE)
      const there = await gather(connection.search(peopleQuery(ldap, { attribute, values })), 1)
      if (there.length > 0)
        throw new Refusal(
          'unavailable',
          'The directory sent an incomplete list of users. Start the sync again.',
        )
    }
  }
}

/** The person of this name; null unless exactly one person has the name and can be a user. */
export async function findPerson(
  connection: DirectoryConnection,
  ldap: LdapSettings,
  username: string,
): Promise<Person | null> {
  const query = peopleQuery(ldap, { attribute: 'username', values: [username] })
  const [entry, another] = await gather(connection.search(query), 2)
  if (!entry || another) return null
  const person = personOf(entry, ldap, NO_GROUPS)
  return 'fault' in person ? null : person
}

/** The first items of pages, `max` at most. */
async function gather<Item>(pages: AsyncIterable<readonly Item[]>, max: number): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const page of pages) {
    all.push(...page)
    if (all.length >= max) break
  }
  return all.slice(0, max)
}
