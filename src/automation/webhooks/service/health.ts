import type { Warning } from '../../../operations/health/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { countOwnerless } from '../../schedules/service.ts'
import { countPowerless } from '../service.ts'

/** Holds while a schedule or a webhook token has no user who may run scripts. */
export async function scriptsWithoutUser(ports: Ports): Promise<Warning | null> {
  const [schedules, tokens] = [await countOwnerless(ports), await countPowerless(ports)]
  if (schedules + tokens === 0) return null
  return {
    code: 'scripts_without_user',
    detail: `The users of ${schedules} schedules and ${tokens} webhook tokens are deleted or may not run scripts, so these run nothing. Save the schedules as another user, and create new tokens.`,
  }
}
