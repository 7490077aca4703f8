import { isAdministrator } from '../../rights/permissions.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { base64url } from '../../../lib/text.ts'
import { DAY_MS, parseInstant, timeFormat } from '../../../lib/time.ts'
import { commit, refuseFull } from '../../../ports/database.ts'
import { audited } from '../../audit/service.ts'
import { forgetCallers } from '../../users/service/passwords.ts'
import { ownerOf } from '../service.ts'
import type { PersonalTokenBody, PersonalTokenView } from './schema.ts'
import * as store from './store.ts'
import type { PersonalTokenRow } from './store.ts'

const LIFETIME_MAX_MS = 366 * DAY_MS
const TOKENS_MAX = 50
const TOKEN_BYTES = 32

/** The tokens of a user, without their secrets: the caller's own, or for administrators of any user. @throws {Refusal} forbidden */
export async function listPersonalTokens(context: Context, userId?: number): Promise<PersonalTokenView[]> {
  const { database, clock, settings } = context.ports
  const rows = await store.listPersonalTokens(database, ownerOf(context, userId), clock.now())
  return rows.map((row) => viewOf(row, timeFormat(settings.timeZone)))
}

/** Makes a token with which programs act for the caller. Its secret is shown only once.
 * @throws {Refusal} forbidden for a caller who owes MFA or a new password, or for `backup` for a caller who is not an
 * administrator, invalid, conflict when the caller has 50 */
export async function createPersonalToken(context: Context, { name, scopes, expiresAt }: PersonalTokenBody) {
  const { ports } = context
  const userId = ownerOf(context)
  // Such a session has the scope `account` alone, and a token would have more.
  if (context.caller.kind === 'user' && context.caller.scopes)
    throw new Refusal(
      'forbidden',
      'Set a new password or MFA first, as GET /session says; then create tokens.',
    )
  if (scopes.includes('backup') && !isAdministrator(context.caller))
    throw new Refusal('forbidden', 'Only administrators can create tokens with the scope `backup`.')
  const createdAt = ports.clock.now()
  const until = parseInstant(expiresAt)
  if (until <= createdAt || until > createdAt + LIFETIME_MAX_MS) {
    const fault = [{ pointer: '/expiresAt', message: 'must be in the future and within 366 days' }]
    throw new Refusal('invalid', 'expiresAt must be in the future and within 366 days.', fault)
  }
  const token = `tidemark_${base64url(ports.secrets.random(TOKEN_BYTES))}`
  const row = {
    userId,
    hash: await sha256(token),
    name,
    scopes: scopes.join(' '),
    createdAt,
    expiresAt: until,
  }
  const entry = audited(context, {
    action: 'create',
    objectType: 'personal token',
    objectId: { inserted: true },
    after: { name, scopes, expiresAt },
  })
  const full = `A user must have at most ${TOKENS_MAX} personal tokens. Revoke one first.`
  const id = await refuseFull('personal_tokens', full, () =>
    store.insertPersonalToken(ports.database, row, { max: TOKENS_MAX, also: entry }),
  )
  return { ...viewOf({ ...row, id }, timeFormat(ports.settings.timeZone)), token }
}

/** Ends a token of the caller, or as an administrator of any user. @throws {Refusal} not_found */
export async function deletePersonalToken(context: Context, id: number): Promise<void> {
  const { ports, caller } = context
  const row = await store.findPersonalToken(ports.database, id)
  const isOwn = caller.kind === 'user' && caller.userId === row?.userId
  if (!row || !(isOwn || isAdministrator(caller))) throw noSuch('token')
  const { name, userId } = row
  await commit(ports.database, [
    store.deletePersonalToken(ports.database, id),
    audited(context, {
      action: 'delete',
      objectType: 'personal token',
      objectId: id,
      before: { name, userId },
    }),
  ])
  forgetCallers(ports)
}

function viewOf(
  { id, name, scopes, createdAt, expiresAt }: PersonalTokenRow,
  format: (at: number) => string,
): PersonalTokenView {
  const granted = scopes.split(' ') as PersonalTokenView['scopes']
  return { id, name, scopes: granted, createdAt: format(createdAt), expiresAt: format(expiresAt) }
}
