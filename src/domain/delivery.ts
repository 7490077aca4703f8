import type { Code, Refusal } from '../lib/errors.ts'
import type { State } from './state.ts'

export type Value = number | string

export type Delivery = {
  readonly signal: 'result' | 'start' | 'log'
  /** Raw values by key (`returnValue1`, `stringValue1`). */
  readonly values: Readonly<Record<string, Value>>
  readonly errorCode: number | null
  /** When the values were measured; null means on arrival. */
  readonly timestampAt: number | null
  readonly message: string | null
  /** The next delivery is due within this time, instead of the job's timeout. */
  readonly ttlMs: number | null
  readonly runId: string | null
}

/** Samples of one value, with their instants; each counts as a delivery of its own that has nothing else in it. */
export type SampleSeries = {
  readonly key: string
  readonly at: readonly number[]
  readonly values: readonly Value[]
}

/** One value of each of many jobs, measured at one instant; null means on arrival. */
export type Round = {
  readonly key: string
  readonly timestampAt: number | null
  readonly jobIds: readonly number[]
  readonly values: readonly Value[]
  /** The error code of each delivery; absent where the deliveries have none. */
  readonly errorCode?: number
  /** As in `BulkItem`. */
  readonly isOnce?: true
}

/** The idempotency key of a delivery: the job remembers it for 24 hours from its first success. */
export type Repeat = {
  readonly key: string
  /** A hash of the delivery under the key; a different delivery under the same key is refused. */
  readonly digest: string
}

/** One thing to be delivered by `deliverAll`. */
export type BulkItem = {
  readonly jobId: number
  readonly sent: { readonly delivery: Delivery } | { readonly run: SampleSeries }
  /** Null where a repetition is a delivery of its own. */
  readonly repeat: Repeat | null
  /** Of a delivery with a timestamp: a value that the job has at that instant already is not kept again. */
  readonly isOnce?: true
}

/** @throws nothing: refusals are outcomes: the refusals of `deliver`, idempotency_conflict, too_many_jobs, unavailable. */
export type DeliveryOutcome = Delivered | DeliveredSeries | Refusal

/** The sender of deliveries: `anyJob` lifts the rule that a job takes deliveries from its own collector only. */
export type Sender = { readonly userId: number; readonly anyJob: boolean }

/** The answer to a delivery: the number of stored values, and the state of the job after it. */
export type Delivered = {
  readonly accepted: number
  readonly timestampAt: number
  readonly late: boolean
  readonly state: State
  readonly errorCode: number
  readonly deadlineAt: number | null
  /** Its values left error code 5 as it is: there was no error code with them. */
  readonly leavesTimeout?: true
  /** The answer to the first delivery under this key: this one changed nothing. */
  readonly replayed?: true
}

/** The answer to a run: how many of its samples were kept, how many of these were late, and which were refused why. */
export type DeliveredSeries = Omit<Delivered, 'late' | 'timestampAt'> & {
  readonly late: number
  readonly refused: readonly RefusedSample[]
}

/** The answer to a round: how many of its values were kept, how many of these were late, and which were refused why. */
export type DeliveredRound = {
  readonly accepted: number
  readonly late: number
  readonly refused: readonly RefusedRowValue[]
  /** The places of values that left error code 5 as it is; absent where none did. */
  readonly timeoutsLeft?: readonly number[]
  /** Everything that was kept had been kept before, under this key. */
  readonly replayed?: true
}

export type RefusedSample = { readonly index: number; readonly code: Code }

/** A refused value of a round, with the detail of the refusal. */
export type RefusedRowValue = RefusedSample & { readonly detail: string }
