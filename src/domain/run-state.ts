/** `assigned`: a runner was told. `preparing`: it took the run. `running`: the script has begun. */
export type HeldState = 'assigned' | 'preparing' | 'running'
export type EndState = 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost'
export type RunState = 'queued' | HeldState | EndState

export const RUN_STATES = [
  'queued',
  'assigned',
  'preparing',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
] as const satisfies readonly RunState[]
