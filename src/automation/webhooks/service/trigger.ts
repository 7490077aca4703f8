import { attempt } from '../../../access/attempts/service.ts'
import { unseal } from '../../../access/session/keys.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { callerFor, orderRun } from '../../runs/service.ts'
import { parametersOf } from '../parameters.ts'
import { requireSignature } from '../signature.ts'
import * as store from '../store.ts'
import type { WebhookRow } from '../store.ts'
import { MINUTE_MS } from '../../../lib/time.ts'

/** The purpose for which keys of signatures are sealed. */
export const SIGNING_KEYS = 'webhook signing key'
/** The calls of a token within a minute. */
const CALLS_MAX = 60

/** The request of a token's holder. */
export type TriggerCall = {
  readonly token: string
  readonly body: Uint8Array
  readonly signature: string | null
  /** The caller's `Idempotency-Key`. */
  readonly key: string | null
}

/** Orders a run with the rights of the user who created the token. A repeated signed call orders no second run, also with
 * another `Idempotency-Key`, because the signature does not cover the key.
 * @throws {Refusal} not_found for an unknown or expired token, unauthenticated for a wrong signature, too_many_attempts after
 * 60 calls within a minute, forbidden if the creator may no longer run scripts; otherwise as `orderRun` */
export async function triggerScript(context: Context, { token, body, signature, key }: TriggerCall) {
  const { ports } = context
  const { database, clock } = ports
  const hash = await sha256(token)
  const now = clock.now()
  const row = await store.findWebhook(database, hash, now)
  if (!row || (row.expiresAt !== null && row.expiresAt <= now))
    throw new Refusal('not_found', 'There is no route at this path. See GET /openapi.json.')
  await attempt(ports, [{ key: `webhook ${row.id}`, max: CALLS_MAX, isShared: true }], MINUTE_MS)
  const signingKey = await signingKeyOf(ports, row, hash)
  const signed = signingKey === null ? null : await requireSignature(signature, { body, signingKey, now })
  const { scriptId, runConfigurationId } = row
  const caller = await callerFor(ports, row.userId, 'The user who created this token').catch(
    (error: unknown) => {
      const about = { webhookId: row.id, scriptId }
      ports.log.warn(
        "webhooks: a call was refused because the token's user may not run scripts; create a new token",
        about,
      )
      throw error
    },
  )
  return orderRun(
    { ...context, caller },
    {
      scriptId,
      runConfigurationId,
      arguments: null,
      parameters: parametersOf(body),
      trigger: 'webhook',
      uploads: [],
      key: await keyOf(row, signed ?? key),
      also: [store.updateWebhook(database, row.id, { lastUsedAt: now })],
    },
  )
}

/** The signing key of the token in the call, which is the present or the former token of the webhook. */
async function signingKeyOf({ secrets }: Ports, row: WebhookRow, hash: string): Promise<string | null> {
  const isPresent = row.hash === hash
  const sealed = isPresent ? row.signingKey : row.formerSigningKey
  return sealed === null ? null : new TextDecoder().decode(await unseal(secrets, sealed, SIGNING_KEYS))
}

/** The key of an order. The keys of a webhook differ from the keys of its user. */
async function keyOf({ id }: WebhookRow, key: string | null): Promise<string | null> {
  return key === null ? null : `webhook ${id} ${await sha256(key)}`
}
