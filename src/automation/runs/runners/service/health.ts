import type { ScriptHealth, Warning } from '../../../../operations/health/schema.ts'
import type { Ports } from '../../../../ports/index.ts'

/** Holds while runs wait and every runner that is there refuses jobs, or none is there. */
export function warnOfIdleRunners(
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
