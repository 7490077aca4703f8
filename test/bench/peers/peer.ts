/** A value of a job, the jobs counted from 1; `at` in epoch ms, null for "now". */
export type Sample = { readonly job: number; readonly at: number | null; readonly value: number }

/** What a job has received, in ascending order of time. */
export type Series = {
  readonly job: number
  readonly at: readonly number[]
  readonly values: readonly number[]
}

export type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Means of buckets over [beginAt, endAt): of job 1, or of every job but job 1. */
export type Span = {
  readonly of: 'first' | 'others'
  readonly beginAt: number
  readonly endAt: number
  readonly bucketMs: number
}

/** Where a server is to run: its files, how many jobs it will hear of, and its core; null is any. */
export type Place = { readonly directory: string; readonly jobs: number; readonly core: string | null }

export type Signal = 'SIGTERM' | 'SIGKILL'

/** A server that runs. */
export type Running = {
  readonly url: string
  readonly pid: number
  readonly stop: (signal?: Signal) => Promise<void>
  /** One value, one acknowledgement. */
  readonly delivery: (sample: Sample) => Request
  /** Many values, one acknowledgement, in each form that there is; the first is the leanest. */
  readonly bulk: readonly BulkForm[]
  /** The requests that together answer a span, and the means in their answers; null when it keeps no history. */
  readonly history: History | null
  /** How many values it can show: all of them, or jobs with one where it keeps only the latest. */
  readonly stored: () => Promise<number>
  /** The latest value of each job that has one. */
  readonly latest: () => Promise<ReadonlyMap<number, number>>
}

export type BulkForm = { readonly name: string; readonly request: (samples: readonly Sample[]) => Request }

export type History = {
  readonly requests: (span: Span) => readonly Request[]
  readonly means: (answers: readonly string[]) => readonly number[]
}

/** A server that was given series and has written and compacted them. */
export type Filled = { readonly running: Running; readonly bytes: number }

/** A kind of server. */
export type Peer = {
  readonly name: string
  /** What Debian calls it, and the program in it; null for what is in this repository. */
  readonly debian: { readonly package: string; readonly program: string } | null
  readonly keeps: 'every' | 'latest'
  /** Starts it on what is in the directory; an empty one makes it new. */
  readonly start: (place: Place) => Promise<Running>
  readonly fill: ((place: Place, series: readonly Series[]) => Promise<Filled>) | null
  /** Past this many jobs it needs minutes to hear of them all. */
  readonly jobsMax: number
}

export const COLLECTOR_NAME = 'bench'
export const PASSWORD = 'a-password-of-a-bench'
export const BASIC = { authorization: `Basic ${btoa(`${COLLECTOR_NAME}:${PASSWORD}`)}` } as const

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
