import { callerFor, orderRun } from '../../../../automation/runs/service.ts'
import { refusalIn } from '../../../../lib/errors.ts'
import type { Code } from '../../../../lib/errors.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { Target } from '../../recipients/target.ts'
import { failed, sent } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { Notification } from '../notification.ts'
import { parametersOf } from '../payload.ts'

/** What is said of what is there, and changes only where somebody changes it. */
const FINAL: ReadonlySet<Code> = new Set(['not_found', 'no_runner', 'forbidden', 'conflict'])

/** Orders a run of a script that finds in its parameters what a webhook is told. The same notification orders one run, however
 * often it is told within a day. */
export async function ordered(
  ports: Ports,
  { scriptId, runConfigurationId, userId }: Extract<Target, { type: 'script' }>,
  notification: Notification,
): Promise<Outcome> {
  try {
    const caller = await callerFor(ports, userId, 'The user who set this target')
    const context = { ports, caller, requestId: notification.key }
    const { job } = await orderRun(context, {
      scriptId,
      runConfigurationId,
      arguments: null,
      parameters: parametersOf(notification),
      trigger: 'alarm',
      uploads: [],
      // Keys of callers are their own.
      key: `alarm ${notification.key}`,
    })
    return sent(`The run ${job.id} was ordered.`)
  } catch (error) {
    const refusal = refusalIn(error)
    // The recipient was changed after the message had its run.
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
