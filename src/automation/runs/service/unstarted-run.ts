import type * as store from '../store.ts'

/** The fields of a run that no runner has yet. */
export const UNSTARTED = {
  state: 'queued',
  attempt: 1,
  retries: 0,
  runnerId: null,
  runnerName: null,
  sessionHash: null,
  attemptHash: null,
  leaseUntil: null,
  isCancelled: false,
  exitCode: null,
  progress: null,
  progressMessage: null,
  logSequence: 0,
  logLines: 0,
  isolation: null,
  error: null,
  reportState: null,
  startedAt: null,
  finishedAt: null,
} as const satisfies Partial<store.RunRow>
