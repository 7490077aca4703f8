import { Lock } from './lib/lock.ts'
import { keepMembership } from './monitoring/slos/membership/service.ts'
import { countAnew, recordTransitions, setRight } from './monitoring/states/service.ts'
import type { Flow } from './ports/flow.ts'
import type { Ports } from './ports/index.ts'
import type { Transition } from './ports/job-actors.ts'

const TRANSITIONS_AT_ONCE = 1_000

/** What follows when objects change their state, top to bottom, one after the other. What is told while something else is
 * under way is carried on together. */
export function openFlow(ports: Pick<Ports, 'database' | 'clock' | 'log'>): Flow {
  const lock = new Lock()
  let waiting: { readonly transitions: Transition[]; readonly carried: Promise<void> } | null = null

  async function carryOn(transitions: readonly Transition[]): Promise<void> {
    for (let from = 0; from < transitions.length; from += TRANSITIONS_AT_ONCE) {
      await recordTransitions(ports, transitions.slice(from, from + TRANSITIONS_AT_ONCE))
    }
  }

  function gather() {
    const transitions: Transition[] = []
    const carried = lock.run(() => {
      waiting = null
      return carryOn(transitions)
    })
    return { transitions, carried }
  }

  return {
    follow(transitions) {
      waiting ??= gather()
      for (const transition of transitions) waiting.transitions.push(transition)
      return waiting.carried
    },
    settle: () =>
      lock.run(async () => {
        await keepMembership(ports)
        await countAnew(ports)
      }),
    sweep: (afterId) => lock.run(() => setRight(ports, afterId)),
  }
}

/** Compares every parent with what its children make it. What changes meanwhile gets its turn after a few parents each. */
export async function sweepAll(flow: Flow): Promise<void> {
  for (let after: number | null = 0; after !== null;) after = await flow.sweep(after)
}
