import type { EndState, HeldState, RunState } from '../../domain/run-state.ts'

/** The fields that decide the next state of a run. */
export type Run = {
  readonly state: RunState
  /** The number of the attempt, from 1. The next attempt begins when an attempt was lost. */
  readonly attempt: number
  /** How often it is tried again when it is lost. */
  readonly retries: number
  /** Whether its cancellation was requested. */
  readonly isCancelled: boolean
}

/** `lose`: its runner is given up. */
type HeldEvent =
  | { readonly kind: 'accept' | 'start' | 'lose' }
  | { readonly kind: 'finish'; readonly outcome: Exclude<EndState, 'lost'> }

/** `fail`: it cannot be begun. */
export type RunEvent =
  | { readonly kind: 'assign'; readonly retries: number }
  | { readonly kind: 'cancel' | 'fail' }
  | HeldEvent

/** Whether a runner has it: only then it has a lease, a session and a token of its attempt. */
export function isHeld(state: RunState): state is HeldState {
  return state === 'assigned' || state === 'preparing' || state === 'running'
}

/** Whether nothing happens to it any more. */
export function hasEnded(state: RunState): state is EndState {
  return state !== 'queued' && !isHeld(state)
}

/** The run after an event; null for an event that is impossible in its state. A repeated event
 * changes nothing. */
export function step(run: Run, event: RunEvent): Run | null {
  if (hasEnded(run.state)) return null
  switch (event.kind) {
    case 'assign':
      return run.state === 'queued' ? { ...run, state: 'assigned', retries: event.retries } : null
    case 'fail':
      return run.state === 'queued' ? { ...run, state: 'failed' } : null
    case 'cancel':
      return run.state === 'queued'
        ? { ...run, state: 'cancelled', isCancelled: true }
        : { ...run, isCancelled: true }
    default:
      return isHeld(run.state) ? stepHeld(run, event) : null
  }
}

function stepHeld(run: Run, event: HeldEvent): Run | null {
  if (event.kind === 'lose') return lose(run)
  if (event.kind === 'accept') return run.state === 'running' ? null : { ...run, state: 'preparing' }
  if (run.state === 'assigned') return null
  return { ...run, state: event.kind === 'finish' ? endOf(run, event.outcome) : 'running' }
}

/** A runner that reports `cancelled` without a cancellation reports a failure. */
function endOf({ isCancelled }: Run, outcome: Exclude<EndState, 'lost'>): EndState {
  return outcome === 'cancelled' && !isCancelled ? 'failed' : outcome
}

/** A run that has not begun counts as never assigned. */
function lose(run: Run): Run {
  if (run.isCancelled) return { ...run, state: 'cancelled' }
  if (run.state === 'assigned') return { ...run, state: 'queued' }
  if (run.attempt > run.retries) return { ...run, state: 'lost' }
  return { ...run, state: 'queued', attempt: run.attempt + 1 }
}

/** An end that is reported. A cancellation is not: the user who cancels a run knows it. */
export type ReportedState = Exclude<EndState, 'cancelled'>

/** The exit code of `timeout` of GNU. */
const TIMED_OUT = 124

/** The error code of a run that has ended, for a job that watches it: 0, the exit code of its script, 124 for one that took
 * too long, or 1 for one that failed without an exit code. */
export function errorCodeOf(state: ReportedState, exitCode: number | null): number {
  if (state === 'succeeded') return 0
  if (state === 'timed_out') return TIMED_OUT
  return exitCode !== null && exitCode > 0 ? exitCode : 1
}
