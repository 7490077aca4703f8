import type { Role } from '../../context.ts'
import type { LdapGroupRule } from '../../ports/ldap-settings.ts'
import { nameKey } from '../../lib/text.ts'
import type { Person, Unusable } from './people.ts'

/** The role of people without a group that has a role. */
const LEAST_ROLE: Role = 'dashboard_viewer'

/** A user as it is kept here, local ones included. */
export type StoredUser = {
  readonly id: number
  readonly type: string
  readonly directoryId: string | null
  readonly isDisabled: boolean
  readonly version: number
  /** In ascending order, groups of the rules only. */
  readonly userGroupIds: readonly number[]
} & DirectoryFields

type DirectoryFields = {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly phone: string
  readonly role: Role
}

/** The target state of a user. */
export type DirectoryUser = DirectoryFields & {
  readonly directoryId: string
  readonly userGroupIds: readonly number[]
}

export type DirectoryChange =
  | { readonly kind: 'create'; readonly wanted: DirectoryUser }
  | { readonly kind: 'update'; readonly known: StoredUser; readonly wanted: DirectoryUser }
  | { readonly kind: 'disable'; readonly known: StoredUser }

/** An omitted change: its entry or user, and the reason. */
export type Failure = { readonly name: string; readonly message: string }

export type Rules = {
  readonly groups: readonly LdapGroupRule[]
  /** The user groups that the rules name, as far as they are there. */
  readonly userGroupIds: ReadonlyMap<string, number>
}

export type Plan = {
  readonly changes: readonly DirectoryChange[]
  readonly failures: readonly Failure[]
  readonly unchanged: number
}

/** The changes that bring users in line with the directory. No user is deleted, ids are permanent, and the name of another user is left to
 * that user; so is a name that a user gives up in this plan. */
export function planOf(
  found: readonly (Person | Unusable)[],
  known: readonly StoredUser[],
  rules: Rules,
): Plan {
  const directory = new Matching(known)
  const changes: DirectoryChange[] = []
  const failures: Failure[] = []
  let unchanged = 0
  for (const person of found) {
    const matched = directory.match(person)
    if ('fault' in matched) failures.push({ name: person.dn, message: matched.fault })
    else {
      const change = changeOf(matched.person, matched.user, rules)
      if (change) changes.push(change)
      else unchanged++
    }
  }
  for (const user of directory.unmatched()) changes.push({ kind: 'disable', known: user })
  const kept = keptAdministrator(known, changes)
  if (kept === null) return { changes, failures, unchanged }
  const message = 'is the last administrator and was not changed'
  return {
    changes: changes.filter((change) => change.kind === 'create' || change.known !== kept),
    failures: [...failures, { name: kept.username, message }],
    unchanged,
  }
}

/** Whom the directory has no more, unless asking for them once more shows otherwise. */
export function goneOf(found: readonly (Person | Unusable)[], { changes }: Plan): readonly StoredUser[] {
  const there = new Set(found.map(({ directoryId }) => directoryId))
  return changes
    .flatMap((change) => (change.kind === 'disable' ? [change.known] : []))
    .filter(({ directoryId }) => directoryId === null || !there.has(directoryId))
}

type Matched = { readonly person: Person; readonly user: StoredUser | null } | { readonly fault: string }

/** Finds the user of each person, who is met once. */
class Matching {
  readonly #known: readonly StoredUser[]
  readonly #byId: ReadonlyMap<string | null, StoredUser>
  readonly #byName: Map<string, StoredUser | 'new'>
  readonly #seenIds = new Set<string>()
  readonly #met = new Set<StoredUser>()

  constructor(known: readonly StoredUser[]) {
    this.#known = known
    this.#byId = new Map(
      known.flatMap((user) => (user.directoryId === null ? [] : [[user.directoryId, user]])),
    )
    // Older names that compare as equal are distinguished exactly.
    const named = (nameOf: (name: string) => string) =>
      known.map((user) => [nameOf(user.username), user] as const)
    this.#byName = new Map([...named(nameKey), ...named(exactNameKey)])
  }

  match(person: Person | Unusable): Matched {
    const { directoryId } = person
    if (directoryId !== null && this.#seenIds.has(directoryId))
      return { fault: 'has the id of another entry' }
    if (directoryId !== null) this.#seenIds.add(directoryId)
    const byId = this.#byId.get(directoryId) ?? null
    if (byId) this.#met.add(byId)
    if ('fault' in person) return person
    const holder = this.#holderOf(person.username)
    if (holder === undefined || holder === byId) return this.#take(person, byId)
    if (byId === null && holder !== 'new' && this.#isUnclaimed(holder)) return this.#take(person, holder)
    return { fault: `has the name of another user: ${person.username}` }
  }

  #holderOf(username: string): StoredUser | 'new' | undefined {
    return this.#byName.get(exactNameKey(username)) ?? this.#byName.get(nameKey(username))
  }

  /** Users of a directory without a person who can still sign in. */
  unmatched(): readonly StoredUser[] {
    return this.#known.filter(
      (user) => user.type === 'LDAP_MANAGED' && !user.isDisabled && !this.#met.has(user),
    )
  }

  /** Whether an administrator created a user for a person of this name beforehand. */
  #isUnclaimed(user: StoredUser): boolean {
    return user.type === 'LDAP_MANAGED' && user.directoryId === null && !this.#met.has(user)
  }

  #take(person: Person, user: StoredUser | null): Matched {
    if (user) this.#met.add(user)
    this.#byName.set(nameKey(person.username), user ?? 'new')
    return { person, user }
  }
}

/** A key for a name that no key of another name is: names have no line breaks. */
function exactNameKey(username: string): string {
  return `\n${username}`
}

function changeOf(person: Person, user: StoredUser | null, rules: Rules): DirectoryChange | null {
  if (person.isDisabled) return user && !user.isDisabled ? { kind: 'disable', known: user } : null
  const { directoryId, username, fullname, email, phone } = person
  const wanted: DirectoryUser = {
    directoryId,
    username,
    fullname,
    email,
    phone,
    role: roleOf(person, user, rules),
    userGroupIds: userGroupsOf(person, rules),
  }
  if (!user) return { kind: 'create', wanted }
  const isSame = !user.isDisabled && shapeOf(user) === shapeOf(wanted)
  return isSame ? null : { kind: 'update', known: user, wanted }
}

/** The first rule that applies and has a role says it. Where no rule has one, administrators do. */
function roleOf(person: Person, user: StoredUser | null, { groups }: Rules): Role {
  if (!groups.some(({ role }) => role !== undefined)) return user?.role ?? LEAST_ROLE
  const roles = person.rules.flatMap((place) => groups[place]?.role ?? [])
  return roles[0] ?? LEAST_ROLE
}

function userGroupsOf(person: Person, { groups, userGroupIds }: Rules): readonly number[] {
  const ids = person.rules.flatMap((place) => userGroupIds.get(groups[place]?.userGroup ?? '') ?? [])
  return [...new Set(ids)].sort((a, b) => a - b)
}

function shapeOf({
  directoryId,
  username,
  fullname,
  email,
  phone,
  role,
  userGroupIds,
}: DirectoryUser | StoredUser): string {
  return JSON.stringify([directoryId, username, fullname, email, phone, role, userGroupIds])
}

/** The last administrator, if the changes would remove every one; else null. */
function keptAdministrator(
  known: readonly StoredUser[],
  changes: readonly DirectoryChange[],
): StoredUser | null {
  const isOne = (user: StoredUser) => user.role === 'administrator' && !user.isDisabled
  const after = new Map(known.map((user) => [user, isOne(user)]))
  for (const change of changes) {
    if (change.kind === 'create') {
      if (change.wanted.role === 'administrator') return null
    } else after.set(change.known, change.kind === 'update' && change.wanted.role === 'administrator')
  }
  if ([...after.values()].includes(true)) return null
  return known.find(isOne) ?? null
}
