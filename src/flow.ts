import { recordTransitions } from './monitoring/states/service.ts'
import type { Ports } from './ports/index.ts'
import type { Transition } from './ports/job-actors.ts'

/**
 * What follows when objects change their state, top to bottom. Hosts call it with what actors committed, in order for
 * each object and at least once; everything in here takes a repetition for what it is.
 */
export async function follow(
  ports: Pick<Ports, 'database'>,
  transitions: readonly Transition[],
): Promise<void> {
  await recordTransitions(ports, transitions)
}
