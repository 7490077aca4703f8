import { recorder } from '../../access/audit/service.ts'
import { sealText } from '../../access/session/keys.ts'
import { scriptRunnersAmong } from '../../access/users/service.ts'
import { requireUser } from '../../context.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { base64url } from '../../lib/text.ts'
import { parseInstant, timeFormat } from '../../lib/time.ts'
import { commit, isForeignKeyViolation, refuseFull } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { listOwnConfigurations } from '../scripts/run-configurations/service.ts'
import { refuseTakenName, requireScript } from '../scripts/service/changes.ts'
import type { NewWebhookView, WebhookBody, WebhookView } from './schema.ts'
import { SIGNING_KEYS } from './service/trigger.ts'
import * as store from './store.ts'
import type { WebhookRow } from './store.ts'

const recorded = recorder('webhook token')

export { triggerScript } from './service/trigger.ts'

const WEBHOOKS_MAX = 20
const SECRET_BYTES = 32

/** The webhook tokens of a script, without the tokens; there are 20 at most. @throws {Refusal} not_found */
export async function listWebhooks({ ports }: Context, ref: string): Promise<WebhookView[]> {
  const script = await requireScript(ports, ref)
  return viewsOf(ports, await store.listWebhooks(ports.database, script.id))
}

/** @throws {Refusal} not_found */
export async function readWebhook({ ports }: Context, ref: string, id: number): Promise<WebhookView> {
  return viewOf(ports, await requireWebhook(ports, ref, id))
}

/** Makes a token whose holder runs the script in the caller's name. The token is shown only once.
 * @throws {Refusal} not_found, name_taken, invalid for a past expiry or a configuration of another script,
 * conflict when there are 20 */
export async function createWebhook(
  context: Context,
  ref: string,
  body: WebhookBody,
): Promise<NewWebhookView> {
  const { ports } = context
  const { database, clock } = ports
  const { userId } = requireUser(context)
  const script = await requireScript(ports, ref)
  const { name, runConfigurationId, hmac } = body
  const now = clock.now()
  const expiresAt = body.expiresAt === null ? null : parseInstant(body.expiresAt)
  await requirePossible(ports, { scriptId: script.id, runConfigurationId, expiresAt }, now)
  const secret = await newSecret(ports, hmac)
  const row = {
    scriptId: script.id,
    runConfigurationId,
    name,
    hash: secret.hash,
    formerHash: null,
    formerUntil: null,
    signingKey: secret.sealed,
    formerSigningKey: null,
    userId,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
  }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const full = `A script must have at most ${WEBHOOKS_MAX} webhook tokens. Revoke one first.`
  const writes = [store.insertWebhook(database, row, WEBHOOKS_MAX), entry]
  await refuseFull('webhook_tokens', full, () =>
    refuseTakenName(() => refuseGone(() => commit(database, writes))),
  )
  const made = (await store.listWebhooks(database, script.id)).find((one) => one.hash === secret.hash)
  if (!made) throw new Refusal('not_found', 'The webhook token was revoked in the meantime.')
  ports.log.info('webhooks: webhook token created', { scriptId: script.id, webhookId: made.id })
  return { ...(await viewOf(ports, made)), ...shownOnce(ports, secret) }
}

/** Puts a new token, and a new key of signatures, in place of those that there are, which may work on for a while.
 * @throws {Refusal} not_found */
export async function rotateWebhook(
  context: Context,
  ref: string,
  { id, graceS }: { readonly id: number; readonly graceS: number },
): Promise<NewWebhookView> {
  const { ports } = context
  const { database, clock } = ports
  const before = await requireWebhook(ports, ref, id)
  const secret = await newSecret(ports, before.signingKey !== null)
  const isGraced = graceS > 0
  const change = {
    hash: secret.hash,
    signingKey: secret.sealed,
    formerHash: isGraced ? before.hash : null,
    formerSigningKey: isGraced ? before.signingKey : null,
    formerUntil: isGraced ? clock.now() + graceS * 1_000 : null,
  }
  const entry = recorded(context, 'rotate', { objectId: id, after: { graceSeconds: graceS } })
  await commit(database, [store.updateWebhook(database, id, change), entry])
  ports.log.info('webhooks: webhook token rotated', { webhookId: id })
  return { ...(await viewOf(ports, { ...before, ...change })), ...shownOnce(ports, secret) }
}

/** Ends a token. @throws {Refusal} not_found */
export async function deleteWebhook(context: Context, ref: string, id: number): Promise<void> {
  const { ports } = context
  const row = await requireWebhook(ports, ref, id)
  const entry = recorded(context, 'delete', { objectId: id, before: auditFieldsOf(row) })
  await commit(ports.database, [store.deleteWebhook(ports.database, id), entry])
  ports.log.info('webhooks: webhook token revoked', { webhookId: id })
}

async function requirePossible(
  ports: Ports,
  {
    scriptId,
    runConfigurationId,
    expiresAt,
  }: Pick<WebhookRow, 'scriptId' | 'runConfigurationId' | 'expiresAt'>,
  now: number,
): Promise<void> {
  const faults: Fault[] = []
  if (expiresAt !== null && expiresAt <= now)
    faults.push({ pointer: '/expiresAt', message: 'must be in the future' })
  if (runConfigurationId !== null) {
    const rows = await listOwnConfigurations(ports, scriptId)
    if (!rows.some(({ id }) => id === runConfigurationId))
      faults.push({
        pointer: '/runConfigurationId',
        message: 'must be the id of a run configuration of this script',
      })
  }
  if (faults.length > 0) throw new Refusal('invalid', 'The webhook token is invalid; see errors.', faults)
}

type Secret = {
  readonly token: string
  readonly hash: string
  readonly key: string | null
  readonly sealed: string | null
}

async function newSecret({ secrets }: Ports, hmac: boolean): Promise<Secret> {
  const token = `tmw_${base64url(secrets.random(SECRET_BYTES))}`
  const key = hmac ? `tmk_${base64url(secrets.random(SECRET_BYTES))}` : null
  const sealed = key === null ? null : await sealText(secrets, key, SIGNING_KEYS)
  return { token, hash: await sha256(token), key, sealed }
}

function shownOnce({ settings }: Ports, { token, key }: Secret) {
  return { token, path: `${settings.basePath}/scripts/webhook/${token}`, signingKey: key }
}

async function requireWebhook(ports: Ports, ref: string, id: number): Promise<WebhookRow> {
  const script = await requireScript(ports, ref)
  const row = (await store.listWebhooks(ports.database, script.id)).find((one) => one.id === id)
  if (!row) throw noSuch('webhook token')
  return row
}

async function refuseGone<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('not_found', 'The script or the run configuration no longer exists.')
  }
}

function auditFieldsOf({
  scriptId,
  name,
  runConfigurationId,
  signingKey,
  expiresAt,
  userId,
}: Omit<WebhookRow, 'id'>) {
  return { scriptId, name, runConfigurationId, hmac: signingKey !== null, expiresAt, userId }
}

/** How many tokens are refused because their user may not run scripts. */
export function countPowerless({ database, clock }: Pick<Ports, 'database' | 'clock'>): Promise<number> {
  return store.countPowerless(database, clock.now())
}

/** The message of a token while its user may not order runs. A token is deleted with its user. */
const MAY_NOT_RUN =
  'The user of the token may not run scripts any more. Revoke the token and create a new one.'

async function viewsOf(ports: Ports, rows: readonly WebhookRow[]): Promise<WebhookView[]> {
  const able = await scriptRunnersAmong(
    ports,
    rows.map(({ userId }) => userId),
  )
  return rows.map((row) => shownOf(ports, row, able.has(row.userId)))
}

async function viewOf(ports: Ports, row: WebhookRow): Promise<WebhookView> {
  const [view] = await viewsOf(ports, [row])
  if (!view) throw new TypeError('No view was made for an existing webhook token.')
  return view
}

function shownOf({ settings }: Ports, row: WebhookRow, mayRun: boolean): WebhookView {
  const format = timeFormat(settings.timeZone)
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, name, runConfigurationId, userId, signingKey } = row
  return {
    id,
    name,
    runConfigurationId,
    hmac: signingKey !== null,
    userId,
    problem: mayRun ? null : MAY_NOT_RUN,
    createdAt: format(row.createdAt),
    expiresAt: shown(row.expiresAt),
    lastUsedAt: shown(row.lastUsedAt),
    formerUntil: shown(row.formerUntil),
  }
}
