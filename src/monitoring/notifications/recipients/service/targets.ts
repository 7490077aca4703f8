import { requireUser } from '../../../../context.ts'
import type { Context } from '../../../../context.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Fault } from '../../../../lib/errors.ts'
import type { NewRecipientBody, RecipientBody } from '../schema.ts'
import type { RecipientRow } from '../store.ts'
import { TARGETS } from '../target.ts'
import type { Target } from '../target.ts'
import { fault } from './faults.ts'
import { openTarget } from './targets-of.ts'

const SECRET_BYTES = 32

/** A target to store; `secret` is set if the service has created it. */
export type EnteredTarget = { readonly target: Target; readonly secret?: string }

/** The target of a body. A webhook without a secret keeps the one of `former`, or gets a new one.
 * @throws {Refusal} invalid without a target, unauthenticated for a script target that no user sets */
export function enteredTarget(
  context: Context,
  { type, target }: NewRecipientBody | RecipientBody,
  former: Target | null,
): EnteredTarget {
  if (typeof target !== 'object')
    throw invalid([fault('/target', 'must be a target, or the text that was shown for it')])
  if (type === 'script')
    return { target: { type, ...TARGETS.script.parse(target), userId: requireUser(context).userId } }
  if (type !== 'webhook') return { target: { type, ...TARGETS[type].parse(target) } as Target }
  const { url, secret = former?.type === 'webhook' ? former.secret : undefined } =
    TARGETS.webhook.parse(target)
  if (secret !== undefined) return { target: { type, url, secret } }
  const made = `whsec_${btoa(String.fromCodePoint(...context.ports.secrets.random(SECRET_BYTES)))}`
  return { target: { type, url, secret: made }, secret: made }
}

/** The target after an update: one that is absent, or as it is shown, stays unchanged.
 * @throws {Refusal} invalid */
export async function changedTarget(
  context: Context,
  before: RecipientRow,
  body: RecipientBody,
): Promise<EnteredTarget> {
  const isKept = body.target === undefined || body.target === before.shownTarget
  if (isKept && body.type !== before.type)
    throw invalid([fault('/target', 'is required if the type changes')])
  if (isKept) return { target: await openTarget(context.ports, before) }
  const isWebhook = before.type === 'webhook' && body.type === 'webhook'
  // A target that cannot be decrypted has no secret to keep.
  const former = isWebhook ? await openTarget(context.ports, before).catch(() => null) : null
  return enteredTarget(context, body, former)
}

export function invalid(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The recipient is invalid; see errors.', faults)
}
