import type { Context } from '../../context.ts'
import { isAdministrator, readsScripts } from '../rights/permissions.ts'
import { changeWithRetry, commitIfMatch } from '../../http/preconditions.ts'
import type { BodyWithVersion } from '../../http/updates.ts'
import { Refusal, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { commit, isNotNullViolation, isUniqueViolation } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { callersOf } from './callers.ts'
import { refuseWhileNeeded, unlessNeeded } from '../alarm-duty/service.ts'
import { audited } from '../audit/service.ts'
import { startFaults } from '../dashboard-use/service.ts'
import { hashPassword } from './password.ts'
import { changedFields, forbiddenFields, impossibleFields, NEW_USER } from './changes.ts'
import type { Asker, Field, UserFields } from './changes.ts'
import { NAME_FAULT } from './schema.ts'
import type { NewUserBody, UserBody, UserView } from './schema.ts'
import { newPassword, passwordWrites, requirePassword, requireStrong } from './service/passwords.ts'
import * as store from './store.ts'
import type { UserRow } from './store.ts'

type Versioned = { readonly view: UserView; readonly version: number }

/** Users by id, a page of them. @throws {Refusal} invalid for a cursor of another list */
export async function listUsers(
  context: Context,
  { limit, cursor }: Page,
): Promise<{ items: UserView[]; next: string | null }> {
  const afterId = cursor === undefined ? 0 : decodeNumber(cursor)
  const rows = await store.listUsers(context.ports.database, { afterId, limit: limit + 1 })
  const { shown, next } = pageOf(rows, limit, ({ id }) => id)
  return {
    items: shown.map((row) => viewFor(context, row)),
    next,
  }
}

/** The users with these ids, by id. */
export async function readUsers(context: Context, ids: readonly number[]): Promise<UserView[]> {
  const rows = await store.findUsers(context.ports.database, ids)
  return rows.map((row) => viewFor(context, row))
}

/** @throws {Refusal} not_found */
export async function readUser(context: Context, id: number): Promise<Versioned> {
  const row = await findUser(context.ports, id)
  return { view: viewFor(context, row), version: row.version }
}

/** Creates a user; a user of the directory has no password here. `also` goes into the same commit.
 * @throws {Refusal} name_taken, invalid for a weak password or an unknown start dashboard */
export async function createUser(
  context: Context,
  input: NewUserBody,
  also: readonly Write[] = [],
): Promise<UserView> {
  const { ports } = context
  const { password, role, username, startDashboardId = null } = input
  refuseFaults(await startFaults(ports, { before: null, after: startDashboardId }))
  if (password !== undefined) requireStrong(ports, { password, username })
  const user = {
    ...NEW_USER,
    timeZone: ports.settings.timeZone,
    ...fieldsOf(input),
    username,
    role,
    passwordHash: password === undefined ? '' : await hashPassword(ports, password),
    version: 1,
    createdAt: ports.clock.now(),
  }
  const { passwordHash: _, ...after } = user
  const entry = audited(context, {
    action: 'create',
    objectType: 'user',
    objectId: { inserted: true },
    after,
  })
  const row = await refuseTakenName(() => store.insertUser(ports.database, user, [entry, ...also]))
  ports.log.info('user created', { userId: row.id, role })
  return fullView(row)
}

/** Changes the fields of a user that a body names. Sessions of the user end when the role or the password changes or the user
 * is disabled; personal tokens end when the user is disabled or, unless the body keeps them, when the password changes. Users
 * who change their own password send the present one, and the new one differs from the latest ones.
 * @throws {Refusal} not_found, forbidden pointing at what the caller may not change, invalid also for a weak or a wrong
 * password, too_many_attempts, name_taken, precondition_failed, last_administrator */
export async function updateUser(
  context: Context,
  id: number,
  { body, ifMatch }: BodyWithVersion<UserBody>,
): Promise<Versioned> {
  const { ports } = context
  const row = await findUser(ports, id)
  const { type, startDashboardId } = { ...row, ...fieldsOf(body) }
  const changed = changedFields(withDisabled(row), body)
  const asker = askerOf(context, row)
  refuseForbidden(asker, row, changed)
  const start = { before: row.startDashboardId, after: startDashboardId }
  refuseFaults([
    ...impossibleFields(row.type, type, changed),
    ...shownFaults(row, body),
    ...(await startFaults(ports, start)),
  ])
  if (ifMatch !== null && ifMatch !== row.version) throw stale('user')
  if (asker.isSelf && body.password !== undefined) await requirePassword(context, row, body.currentPassword)
  const updated = await applyChange(context, row, { body, changed, isOwn: asker.isSelf })
  return { view: fullView(updated), version: updated.version }
}

/** Stores the fields of a user that a provider determines, also where the user is changed at the same time.
 * @throws {Refusal} not_found, last_administrator, overloaded after 50 changes at the same time */
export function adoptUser(
  context: Context,
  id: number,
  body: Pick<UserBody, 'fullname' | 'email' | 'role'>,
): Promise<void> {
  return changeWithRetry(null, async () => {
    const row = await findUser(context.ports, id)
    const changed = changedFields(withDisabled(row), body)
    if (changed.length > 0) await applyChange(context, row, { body, changed, isOwn: false })
  })
}

/** Gives a local user another password without the present one, and enables the user. Sessions and personal tokens of the
 * user end. For the operator of the host: no rights are checked.
 * @returns the id of the user
 * @throws {Refusal} not_found, invalid for a weak password or a user of the directory */
export async function resetPassword(context: Context, username: string, password: string): Promise<number> {
  const { ports } = context
  const row = await store.findUserByName(ports.database, username)
  if (!row) throw new Refusal('not_found', `There is no user "${username}".`)
  if (row.type === 'LDAP_MANAGED')
    throw new Refusal('invalid', 'The directory has the password of this user. Change it there.')
  const body = { password, disabled: false }
  await applyChange(context, row, { body, changed: ['password'], isOwn: false })
  return row.id
}

async function applyChange(
  context: Context,
  row: UserRow,
  {
    body,
    changed,
    isOwn,
  }: { readonly body: UserBody; readonly changed: readonly Field[]; readonly isOwn: boolean },
): Promise<UserRow> {
  const { ports } = context
  const { id } = row
  const { role, username } = { ...row, ...fieldsOf(body) }
  const { disabled = row.disabledAt !== null } = body
  if (role !== 'administrator' || disabled) await keepLastAdministrator(ports, row)
  const chosen = body.password === undefined ? null : { username, password: body.password }
  const passwordHash = chosen === null ? row.passwordHash : await newPassword(ports, id, { ...chosen, isOwn })
  const fields = { ...fieldsOf(body), role, passwordHash }
  const disabledAt = disabled ? (row.disabledAt ?? ports.clock.now()) : null
  const writes = [
    store.updateUser(ports.database, row, { ...fields, disabledAt }),
    audited(context, {
      action: 'update',
      objectType: 'user',
      objectId: id,
      before: withDisabled(row),
      after: { ...fields, disabled },
    }),
  ]
  if (chosen !== null) {
    const keepTokens = body.keepTokens === true
    writes.push(...passwordWrites(ports, id, { hash: passwordHash, keepTokens }))
  }
  writes.push(...signingOut(ports, id, { changed, disabled }))
  await refuseOvertaken(ports, row, () => refuseTakenName(() => commit(ports.database, writes)))
  callersOf(ports).clear()
  return { ...row, ...fields, disabledAt, version: row.version + 1 }
}

/** @throws {Refusal} not_found, last_administrator, has_dependents while a recipient of alarms is this user, or runs a script
 * as this user */
export async function deleteUser(context: Context, id: number): Promise<void> {
  const { ports } = context
  const row = await findUser(ports, id)
  await keepLastAdministrator(ports, row)
  const user = { kind: 'user', id } as const
  const commitDeletion = () =>
    commitIfMatch(context, { ...row, table: 'users' }, [
      unlessNeeded(ports.database, user),
      ...store.deleteUser(ports.database, id),
      audited(context, { action: 'delete', objectType: 'user', objectId: id, before: fullView(row) }),
    ])
  await refuseWhileNeeded(ports.database, user, () => refuseLastAdministrator(commitDeletion))
  callersOf(ports).clear()
  ports.log.info('user deleted', { userId: id })
}

export function countUsers(ports: Ports): Promise<number> {
  return store.countUsers(ports.database)
}

/** Whether deliveries can be authenticated as this user (specification: the collector of a webhook job). */
export async function isCollector(ports: Ports, id: number): Promise<boolean> {
  return (await store.findUser(ports.database, id))?.role === 'collector'
}

async function findUser(ports: Ports, id: number): Promise<UserRow> {
  const row = await store.findUser(ports.database, id)
  if (!row) throw noSuch('user')
  return row
}

async function keepLastAdministrator(ports: Ports, row: UserRow): Promise<void> {
  const countsAsOne = row.role === 'administrator' && row.disabledAt === null
  if (countsAsOne && (await store.countAdministrators(ports.database)) <= 1) throw lastAdministrator()
}

/** Runs a deletion; another request may have deleted the last but one administrator since it was checked. */
async function refuseLastAdministrator(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw isNotNullViolation(error, 'users.version') ? lastAdministrator() : error
  }
}

/** Runs an update; one that met a changed user is refused. */
async function refuseOvertaken(ports: Ports, row: UserRow, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isNotNullViolation(error, 'users.version')) throw error
    const now = await findUser(ports, row.id)
    throw now.version === row.version ? lastAdministrator() : stale('user')
  }
}

async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    throw isTakenName(error) ? nameTaken('user', '/username') : error
  }
}

/** Whether a write failed because another user has the name, or one that is compared as the same. */
export function isTakenName(error: unknown): boolean {
  return isUniqueViolation(error, 'users.username') || isUniqueViolation(error, 'users.username_key')
}

function lastAdministrator(): Refusal {
  return new Refusal(
    'last_administrator',
    'This is the last administrator. Make another user an administrator first.',
  )
}

/** The writes after which a user has to sign in again, as far as a change demands it. */
function signingOut(
  { database }: Ports,
  id: number,
  { changed, disabled }: { readonly changed: readonly Field[]; readonly disabled: boolean },
): Write[] {
  if (disabled && changed.includes('disabled'))
    return [store.deleteSessionsOf(database, id), store.deletePersonalTokensOf(database, id)]
  const isOver = changed.includes('password') || changed.includes('role')
  return isOver ? [store.deleteSessionsOf(database, id)] : []
}

function withDisabled(row: UserRow): UserRow & { readonly disabled: boolean } {
  return { ...row, disabled: row.disabledAt !== null }
}

/** The fields of a row that a body names. */
function fieldsOf(body: UserBody): Partial<UserFields> {
  const { id: _id, name: _name, visuallyImpaired: _gone, password: _password, disabled: _, ...rest } = body
  const { currentPassword: _current, keepTokens: _keep, ...fields } = rest
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new Refusal('invalid', 'The user is invalid; see errors.', faults)
}

/** The read-only fields may be sent back as they were read, and not be changed. */
function shownFaults(row: UserRow, { name, username }: UserBody): readonly Fault[] {
  const isOther = name !== undefined && name !== row.username && name !== username
  return isOther ? [{ pointer: '/name', message: NAME_FAULT }] : []
}

function askerOf({ caller }: Context, row: UserRow): Asker {
  return {
    isAdministrator: isAdministrator(caller),
    isSelf: caller.kind === 'user' && caller.userId === row.id,
  }
}

function refuseForbidden(asker: Asker, row: UserRow, changed: readonly Field[]): void {
  if (!asker.isAdministrator && !asker.isSelf)
    throw new Refusal('forbidden', 'Only administrators can change other users.')
  const forbidden = forbiddenFields(asker, row.type, changed)
  if (forbidden.length === 0) return
  const faults = forbidden.map((field) => ({
    pointer: `/${field}`,
    message: 'can only be changed by an administrator',
  }))
  throw new Refusal('forbidden', 'You cannot change these fields of your own user; see errors.', faults)
}

/** Contact data are visible to administrators and to the user. */
function viewFor({ caller }: Context, row: UserRow): UserView {
  const view = fullView(row)
  const isClose = isAdministrator(caller) || (caller.kind === 'user' && caller.userId === row.id)
  if (isClose) return view
  const { email: _email, phone: _phone, properties: _properties, ...rest } = view
  return rest
}

function fullView(row: UserRow): UserView {
  const { id, username, role, type, fullname, email, phone, startDashboardId, language, timeZone } = row
  return {
    id,
    name: username,
    role,
    type,
    username,
    fullname,
    email,
    phone,
    startDashboardId,
    language,
    timeZone,
    darkMode: row.darkMode,
    properties: [...row.properties],
    disabled: row.disabledAt !== null,
  }
}

/** The users with these ids that may run scripts now. */
export async function scriptRunnersAmong(
  { database }: Pick<Ports, 'database'>,
  ids: readonly (number | null)[],
): Promise<ReadonlySet<number>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  const found = wanted.length === 0 ? [] : await store.findUsers(database, wanted)
  return new Set(found.flatMap((row) => (row.disabledAt === null && readsScripts(row.role) ? row.id : [])))
}
