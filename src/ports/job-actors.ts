import type { Code, Refusal } from '../lib/errors.ts'

/**
 * The actors of the webhook jobs: one per job, which takes its deliveries in order, keeps its values and notices its
 * silence. What an actor does is decided by `monitoring/jobs/actor.ts`; where it lives is the host's business.
 *
 * Guarantees: calls for one job take effect one after the other; a resolved promise means stable storage; a rejected
 * call other than with a `Refusal` may be repeated. Times are epoch ms.
 */
export interface JobActors {
  /** How many jobs one request can archive or restore. */
  readonly archivesMax: number
  /** Creates the actor or brings it up to `rules.revision`; an older revision changes nothing. */
  configure(jobId: number, rules: Rules): Promise<void>
  /** @throws {Refusal} not_found, forbidden, job_stopped, value_not_defined, value_in_future, value_too_old,
   * value_out_of_range, overloaded */
  deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered>
  /**
   * Takes many deliveries, for one job in the order given, and answers each in its place: a refusal hinders no other.
   * A host may bound the number of jobs in one call; parcels of the jobs past it are refused (too_many_jobs).
   */
  deliverAll(parcels: readonly Parcel[], sender: Sender): Promise<readonly Outcome[]>
  /**
   * Takes rounds in the order given, each value as a delivery of its own, and answers each round in its place. The hosts'
   * bound on jobs in one call holds for all rounds together.
   */
  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]>
  /** The actor as of its last acknowledged event, or null where there is none. */
  snapshot(jobId: number): Promise<Snapshot | null>
  /** Buckets of a series of numbers, correct to the last acknowledged value. @throws {Refusal} not_found */
  buckets(jobId: number, query: BucketsQuery): Promise<BucketsAnswer>
  /** The same of many series, with the same edges and mode, in the order given. A host may ask each job by itself; the
   * first refusal is that of all. @throws {Refusal} not_found */
  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]>
  /** Single samples in order of time, at most `query.limit`. @throws {Refusal} not_found */
  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer>
  /** A copy of all that the actor keeps, later than an instant, as lines of JSON (`db/README.md`, Backups). It is to be
   * read to its end or cancelled, and ends after a minute in which nobody reads. @throws {Refusal} not_found, unavailable */
  archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>>
  /** Puts such a copy in place of what the actor keeps, which then goes on from there. Where it fails there is no actor.
   * @throws {Refusal} bad_request */
  restore(jobId: number, copied: Copied): Promise<void>
  /** Removes the actor with all it keeps; one that is not there is fine. */
  forget(jobId: number): Promise<void>
}

/** What `archive` has copied, when, and up to which of its transitions others have heard of the actor. */
export type Copied = {
  readonly lines: ReadableStream<Uint8Array>
  readonly madeAt: number
  readonly heardSeq: number
}

export type State =
  | 'major'
  | 'minor'
  | 'warning'
  | 'maintenance_major'
  | 'maintenance_minor'
  | 'maintenance_warning'
  | 'maintenance_ok'
  | 'ok'
  | 'no_data'
  | 'undefined'

export type Level = 'major' | 'minor' | 'warning'
export type Reason =
  | 'delivery'
  | 'threshold'
  | 'timeout'
  | 'forced'
  | 'stopped'
  | 'platform'
  | 'child'
  | 'maintenance'
  | 'period'
  | 'flapping'
  | 'message'
export type Value = number | string

/** What a job's configuration means to its actor. A later `revision` replaces an earlier one, never the reverse. */
export type Rules = {
  readonly revision: number
  /** The user whose deliveries the job takes; 0 for any collector. */
  readonly collectorId: number
  readonly timeoutMs: number | null
  /** How long a run may last after `signal: start`; null leaves starts without effect on the deadline. */
  readonly graceMs: number | null
  readonly intervalMs: number
  /** Whether any value ends error code 5; absent where an earlier release wrote the rules: then none does. */
  readonly healsOnData?: boolean
  /** One divisor for each numeric value, `returnValue1` first. */
  readonly divisors: readonly number[]
  /** How many string values are defined. */
  readonly textCount: number
  readonly thresholds: Thresholds
  readonly stopped: boolean
  readonly forced: State | null
  /** How long what was received is kept; absent where an earlier release wrote the rules: then the default. */
  readonly retention?: Retention
  /** Null, and absent where an earlier release wrote the rules: nobody asks how often the state changes. */
  readonly flapping?: FlappingLimits | null
}

/** Percentages of how often the state changes, above which a job flaps and below which it does no longer. */
export type FlappingLimits = { readonly startPercent: number; readonly endPercent: number }

/** How long single samples are kept, then cells of five minutes, then cells of an hour; none shorter than those before. */
export type Retention = { readonly rawMs: number; readonly minutesMs: number; readonly hoursMs: number }

/** The limits of one job, worst level first. */
export type Thresholds = readonly {
  readonly level: Level
  readonly mode: 'or' | 'and'
  readonly conditions: readonly Condition[]
}[]

export type Condition = {
  /** `returnValueN`, `stringValueN` or `errorCode`. */
  readonly key: string
  readonly operator: Operator
  readonly value: Value
  /** How many values in a row must breach before the condition holds; 0 counts as 1. */
  readonly repetition: number
  /** Predicted and adaptive limits hold only once forecasts evaluate them; until then such a condition is false. */
  readonly predicted: boolean
  /** Once held, the condition stays until `repetition` values in a row no longer breach this value. */
  readonly recovery: { readonly value: Value; readonly repetition: number } | null
}

export type Operator =
  | '>'
  | '>='
  | '<'
  | '<='
  | '='
  | '<>'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'matches'
  | 'not_matches'

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
export type Run = {
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
}

/** What tells a repetition from a new delivery: the job remembers the key for 24 hours from its first success. */
export type Repeat = {
  readonly key: string
  /** What was sent under the key; something else under the same key is refused. */
  readonly digest: string
}

/** One thing to be delivered by `deliverAll`. */
export type Parcel = {
  readonly jobId: number
  readonly sent: { readonly delivery: Delivery } | { readonly run: Run }
  /** Null where a repetition is a delivery of its own. */
  readonly repeat: Repeat | null
  /** Of a delivery with a timestamp: a value that the job has at that instant already is not kept again. */
  readonly isOnce?: true
}

/** @throws nothing: refusals are outcomes, those of `deliver` and idempotency_conflict, too_many_jobs, unavailable. */
export type Outcome = Delivered | DeliveredRun | Refusal

/** Who delivers: `anyJob` lifts the rule that a job takes deliveries from its own collector only. */
export type Sender = { readonly userId: number; readonly anyJob: boolean }

/** The answer to a delivery: what was kept and how the job stands after it. */
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
export type DeliveredRun = Omit<Delivered, 'late' | 'timestampAt'> & {
  readonly late: number
  readonly refused: readonly RefusedSample[]
}

/** The answer to a round: how many of its values were kept, how many of these were late, and which were refused why. */
export type DeliveredRound = {
  readonly accepted: number
  readonly late: number
  readonly refused: readonly RefusedSample[]
  /** The places of values that left error code 5 as it is; absent where none did. */
  readonly timeoutsLeft?: readonly number[]
  /** Everything that was kept had been kept before, under this key. */
  readonly replayed?: true
}

export type RefusedSample = { readonly index: number; readonly code: Code }

export type Snapshot = {
  readonly revision: number
  readonly state: State
  readonly sinceAt: number
  readonly errorCode: number
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly deadlineAt: number | null
  readonly lastReceivedAt: number | null
  readonly isFlapping: boolean
  /** Newest raw values by key. */
  readonly current: Readonly<Record<string, { readonly value: Value; readonly at: number }>>
}

/** One committed change of an object's state. `(objectId, seq)` names it for good, so that it may be told twice. */
export type Transition = {
  readonly objectId: number
  /** Counts the object's transitions from 1, without gaps. */
  readonly seq: number
  /** When the state changed; `detectedAt` is when the service noticed. */
  readonly at: number
  readonly detectedAt: number
  readonly from: State
  readonly to: State
  readonly reason: Reason
  readonly errorCode: number
  readonly message: string | null
  /** Set while the object is silent: the instant of its last sign of life. */
  readonly silentSinceAt: number | null
  /** Set where a job began or ceased to flap: then its state is as it was. */
  readonly isFlapping?: boolean
  /** Set where what is wrong with a bad job has changed and its state has not: whether its error code is another one. */
  readonly isNewCode?: boolean
}

export type Mode = 'avg' | 'min' | 'max' | 'last' | 'sum' | 'count' | 'p50' | 'p95' | 'p99'

/** One value of one job. */
export type SeriesName = { readonly jobId: number; readonly key: string }

/** `edges` are the ascending borders of half-open buckets: n + 1 of them for n buckets. */
export type BucketsQuery = { readonly key: string; readonly edges: readonly number[]; readonly mode: Mode }

export type Bucket = {
  readonly at: number
  readonly value: number | null
  readonly min: number | null
  readonly max: number | null
  readonly count: number
}

/** The buckets of several series have the same edges and mode. */
export type BucketsOfAll = Omit<BucketsQuery, 'key'>

export type BucketsAnswer = { readonly buckets: readonly Bucket[]; readonly aggregate: Aggregate }

export type Aggregate = {
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly last: number | null
  readonly count: number
  /** Null when it leaves the range of a double. */
  readonly sum: number | null
}

/** Samples with `beginAt <= at < endAt`, the first `skip` of those at exactly `beginAt` left out. */
export type SamplesQuery = {
  readonly key: string
  readonly beginAt: number
  readonly endAt: number
  readonly skip: number
  readonly limit: number
}

export type SamplesAnswer = {
  readonly samples: readonly { readonly at: number; readonly value: Value }[]
  readonly more: boolean
}
