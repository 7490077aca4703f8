/** The poll of a runner for jobs. */
export type RunnerPoll = {
  readonly runnerId: number
  /** How many jobs it can take. */
  readonly free: number
  /** The jobs that it has. */
  readonly running: readonly string[]
  /** Where it reaches the service, and so its scripts do. */
  readonly baseUrl: string
}

/** Assigns script jobs to runners: one place per installation, so that no runner waits for a job that another one just took. In
 * this process on Bun, one object for all isolates at the edge. Its only state is the waiting polls. */
export interface Dispatch {
  /** Jobs for a runner, each as plain JSON, once there are some; none after half a minute. Of two polls of one runner the
   * former ends. A job that the runner has and does not name is lost. @throws {Refusal} unauthenticated for an unknown runner */
  poll(poll: RunnerPoll, signal?: AbortSignal): Promise<readonly object[]>
  /** There may be a run to assign. Never rejects: a run that is not assigned now is assigned later. */
  wake(): Promise<void>
  /** Gives up the runs of runners whose lease has ended, and begins due work. */
  runDue(): Promise<void>
}
