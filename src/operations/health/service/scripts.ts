import { countOwnerless } from '../../../automation/schedules/service.ts'
import { countPowerless } from '../../../automation/webhooks/service.ts'
import type { Ports } from '../../../ports/index.ts'
import type { ScriptHealth, Warning } from '../schema.ts'

/** Holds while a schedule or a webhook token has no user who may run scripts. */
export async function scriptsWithoutUser(ports: Ports): Promise<Warning | null> {
  const [schedules, tokens] = [await countOwnerless(ports), await countPowerless(ports)]
  if (schedules + tokens === 0) return null
  return {
    code: 'scripts_without_user',
    detail: `The users of ${schedules} schedules and ${tokens} webhook tokens are deleted or may not run scripts, so these run nothing. Save the schedules as another user, and create new tokens.`,
  }
}

/** Holds while runs wait and every runner that is there refuses jobs, or none is there. */
export function runnersTakeNothing(
  _: Ports,
  { runners, refusing, waiting }: ScriptHealth,
): Promise<Warning | null> {
  if (runners > 0 || refusing + waiting === 0) return Promise.resolve(null)
  const cause =
    refusing > 0
      ? `${refusing} runners are registered but accept no jobs; GET /runners gives the reason`
      : 'no runner is registered; start one with npm run runner'
  return Promise.resolve({
    code: 'no_runner_accepts_jobs',
    detail: `Scripts do not run, and ${waiting} runs wait: ${cause}.`,
  })
}
