import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit, isNotNullViolation } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { DirectoryConnection, DirectoryQuery } from '../../../ports/directory.ts'
import { auditedAll } from '../../audit/service.ts'
import type { BulkAuditedAction } from '../../audit/service.ts'
import { forgetRights } from '../../rights/service.ts'
import { isTakenName } from '../../users/service.ts'
import { forgetCallers } from '../../users/service/passwords.ts'
import { goneOf, planOf } from '../plan.ts'
import type { DirectoryChange, Failure, Plan, Rules } from '../plan.ts'
import * as store from '../store.ts'
import { confirmGone, readGroups, readPeople, settingsOf } from './entries.ts'

/** The changes of one commit: few enough for one parameter of a statement. */
const CHANGED_AT_ONCE = 100

/** The progress of a sync. */
export type Outcome = {
  created: number
  updated: number
  disabled: number
  unchanged: number
  failures: readonly Failure[]
}

/** Syncs the users with the directory, and counts the changes in `outcome`.
 * @throws {Refusal} conflict, unavailable also for a sync that takes beyond `untilAt` */
export async function applyOutcome(context: Context, outcome: Outcome, untilAt: number): Promise<void> {
  const { ports } = context
  const hurry = () => {
    if (ports.clock.now() > untilAt)
      throw new Refusal('unavailable', 'The directory answers too slowly; the sync was ended.')
  }
  const { plan, rules } = await read(context, hurry)
  outcome.unchanged = plan.unchanged
  outcome.failures = [...unknownGroups(rules), ...plan.failures]
  for (let from = 0; from < plan.changes.length; from += CHANGED_AT_ONCE) {
    hurry()
    const changes = plan.changes.slice(from, from + CHANGED_AT_ONCE)
    await refuseOvertaken(() => commit(ports.database, writesOf(context, changes, rules)))
    // Withdrawn rights are committed first.
    forgetCallers(ports)
    forgetRights(ports)
    for (const { kind } of changes) outcome[`${kind}d`]++
  }
}

async function read(context: Context, hurry: () => void): Promise<{ plan: Plan; rules: Rules }> {
  const { directory, ldap } = settingsOf(context.ports)
  const { database } = context.ports
  const names = ldap.groups.flatMap(({ userGroup }) => userGroup ?? [])
  const rules = { groups: ldap.groups, userGroupIds: await store.findUserGroups(database, names) }
  return directory.connected(async (connection) => {
    const timely = { ...connection, search: (query: DirectoryQuery) => pagesOf(connection, query, hurry) }
    const groups = await readGroups(timely, ldap)
    const found = await readPeople(timely, ldap, groups)
    const known = await store.listKnown(database, [...rules.userGroupIds.values()])
    const plan = planOf(found, known, rules)
    await confirmGone(timely, ldap, goneOf(found, plan))
    return { plan, rules }
  })
}

/** Each answer may be in time, and all of them together too late. */
async function* pagesOf(connection: DirectoryConnection, query: DirectoryQuery, hurry: () => void) {
  for await (const page of connection.search(query)) {
    hurry()
    yield page
  }
}

function unknownGroups({ groups, userGroupIds }: Rules): readonly Failure[] {
  const names = new Set(groups.flatMap(({ userGroup }) => userGroup ?? []))
  return [...names]
    .filter((name) => !userGroupIds.has(name))
    .map((name) => ({ name, message: 'must be the name of a user group' }))
}

function writesOf(
  context: Context,
  changes: readonly DirectoryChange[],
  { userGroupIds }: Rules,
): readonly Write[] {
  const { database, clock, settings } = context.ports
  const now = clock.now()
  const { timeZone } = settings
  const created = changes.flatMap((change) => (change.kind === 'create' ? [change.wanted] : []))
  const updates = changes.flatMap((change) => (change.kind === 'update' ? [change] : []))
  const disabled = changes.flatMap((change) => (change.kind === 'disable' ? [change.known.id] : []))
  const signedOut = updates.flatMap(({ known, wanted }) => (known.role === wanted.role ? [] : [known.id]))
  const people = [...created, ...updates.map(({ wanted }) => wanted)]
  const groupIds = [...userGroupIds.values()]
  const forSome = (all: readonly unknown[], write: () => readonly Write[]) => (all.length > 0 ? write() : [])
  // Hosts bound how many statements a call may have.
  return [
    ...forSome(created, () => [store.insertUsers(database, created, { now, timeZone })]),
    ...forSome(updates, () => [store.updateUsers(database, updates)]),
    ...forSome(signedOut, () => [store.endSessions(database, signedOut)]),
    ...forSome(disabled, () => store.disableUsers(database, disabled, now)),
    ...forSome(groupIds, () => store.setMemberships(database, people, groupIds)),
    ...forSome(changes.filter(takesAdministrator), () => [store.requireAdministrator(database)]),
    auditedAll(context, 'user', changes.map(auditedActionOf)),
  ]
}

function takesAdministrator(change: DirectoryChange): boolean {
  return change.kind !== 'create' && change.known.role === 'administrator'
}

function auditedActionOf(change: DirectoryChange): BulkAuditedAction {
  if (change.kind === 'create') {
    const { wanted } = change
    const after = { type: 'LDAP_MANAGED', ...wanted }
    return { action: 'create', objectId: { username: wanted.username }, after }
  }
  const { id, isDisabled, version: _, type: __, ...before } = change.known
  const objectId = { id: String(id) }
  return change.kind === 'disable'
    ? { action: 'disable', objectId, before: { disabled: false }, after: { disabled: true } }
    : {
        action: 'update',
        objectId,
        before: { ...before, disabled: isDisabled },
        after: { ...change.wanted, disabled: false },
      }
}

/** Somebody else changed one of the users, took a name, or is the last administrator now: the next sync sees it. */
async function refuseOvertaken(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const isOvertaken = isNotNullViolation(error, 'users.version') || isTakenName(error)
    if (!isOvertaken) throw error
    throw new Refusal('conflict', 'Users were changed during the sync. Start the sync again.')
  }
}
