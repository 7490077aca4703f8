import { refusalIn } from '../../../../lib/errors.ts'
import type { Code } from '../../../../lib/errors.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { Target } from '../../recipients/target.ts'
import { failed, sent } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { Notification } from '../notification.ts'
import { parametersOf } from '../payload.ts'

/** Refusals that last until a user changes the configuration. */
const FINAL: ReadonlySet<Code> = new Set(['not_found', 'no_runner', 'forbidden', 'conflict'])

/** Orders a run of a script with the webhook's payload as its parameters. A notification orders one run, however often
 * it is sent within a day. */
export async function ordered(
  ports: Ports,
  { scriptId, runConfigurationId, userId }: Extract<Target, { type: 'script' }>,
  notification: Notification,
): Promise<Outcome> {
  try {
    const id = await ports.scripts.order({
      scriptId,
      runConfigurationId,
      userId,
      userLabel: 'The user who set this target',
      parameters: parametersOf(notification),
      trigger: 'alarm',
      // Callers' own keys have no space, so these cannot be the same.
      key: `alarm ${notification.key}`,
    })
    return sent(`The run ${id} was ordered.`)
  } catch (error) {
    const refusal = refusalIn(error)
    // The recipient was changed after the notification had ordered its run.
    if (refusal?.code === 'idempotency_conflict')
      return sent('A run was ordered for this notification before.')
    if (refusal) return failed(refusal.detail, { isFinal: FINAL.has(refusal.code) })
    ports.log.error('notifications: ordering the run of a script failed', error, {
      scriptId,
      key: notification.key,
    })
    return failed('The run could not be ordered.')
  }
}
