import { startDeno } from '../hosts/deno.ts'
import { SUITES, testInterface } from './interface.ts'
import type { Scenario, Suite } from './suite.ts'

// The service on Deno is the service on Bun but for `workers/deno`: of each suite one scenario runs on it, and those that
// depend on its listener. `npm run test:deno` runs all.

/** Of answers that are streamed or have no body, and of senders that leave or are slow. */
const OF_LISTENER = /\bHEAD\b|\bstreams?\b|\bpauses\b.*postgresql|\bcut off\b|\bleaves,|^addresses of senders/

testInterface(
  'deno',
  (variables) => startDeno(variables),
  SUITES.map(({ name, scenarios }): Suite => ({ name, scenarios: shortened(scenarios) })),
)

function shortened(scenarios: readonly Scenario[]): readonly Scenario[] {
  const flows = scenarios.filter((one) => !isRow(one))
  const [first] = flows.length > 0 ? flows : scenarios
  return flows.filter((one) => one === first || OF_LISTENER.test(one.title))
}

/** Whether it is a single request (`table`). */
function isRow({ title }: Scenario): boolean {
  return / answers \w+$/.test(title)
}
