import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Transition } from '../../ports/job-actors.ts'
import * as store from './store.ts'

export { insertFirstState } from './store.ts'

/** Keeps committed transitions and the current states that follow from them. Telling one twice changes nothing. */
export async function recordTransitions(
  { database }: Pick<Ports, 'database'>,
  transitions: readonly Transition[],
): Promise<void> {
  await commit(database, [
    store.insertTransitions(database, transitions),
    store.updateStates(database, transitions),
  ])
}
