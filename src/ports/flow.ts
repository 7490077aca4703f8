import type { Transition } from '../domain/transition.ts'

/**
 * Propagates changes of states: one place per installation, so that the changes of many children meet
 * their parents one after the other. In this process on Bun, one object for all isolates at the edge.
 */
export interface StatePipeline {
  /** Propagates committed transitions in order; resolved means stored with all consequences. A repeated transition
   * changes nothing. */
  apply(transitions: readonly Transition[]): Promise<void>
  /** Brings parents up to date whose children came, went, moved, or fit their filter otherwise than before; and what time
   * has changed by now: maintenance begins and ends, credits are used up. Where that is very much, some of it is left to
   * the next call, for which the host is woken at once. */
  runDue(): Promise<void>
  /** Compares some parents after this id, in the order of ids, with what their children make them, and sets right and
   * reports those that are something else. Answers where to go on, or null when there are no more. */
  sweep(afterId: number): Promise<number | null>
}
