import type {
  Delivery,
  Round,
  BulkItem,
  DeliveryOutcome,
  Sender,
  Delivered,
  DeliveredRound,
} from '../domain/delivery.ts'
import type { ForecastBand } from '../domain/forecast-band.ts'
import type { JobRules } from '../domain/job-rules.ts'
import type {
  SeriesName,
  BucketsQuery,
  BucketsOfAll,
  BucketsAnswer,
  SamplesQuery,
  SamplesAnswer,
} from '../domain/series.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * The actors of the webhook jobs: one per job, which takes its deliveries in order, keeps its values and notices its
 * silence. `monitoring/jobs/actor.ts` decides the behaviour of an actor, the host its place.
 *
 * Guarantees: calls for one job take effect one after the other; a resolved promise means stable storage; a rejected
 * call other than with a `Refusal` may be repeated. Times are epoch ms.
 */
export interface JobActors {
  /** How many jobs one request can archive or restore. */
  readonly archivesMax: number
  /** The maximum number of jobs of which one request can ask the snapshot. */
  readonly snapshotsMax: number
  /** Creates the actor or brings it up to `rules.revision`; an older revision changes nothing. */
  configure(jobId: number, rules: JobRules): Promise<void>
  /** Gives the conditions of a job the bands of forecasts, which are all that there are. Earlier bands change nothing, and
   * a condition without a band has an unknown limit. */
  takeBands(jobId: number, bands: readonly ForecastBand[]): Promise<void>
  /** @throws {Refusal} not_found, forbidden, job_stopped, value_not_defined, value_in_future, value_too_old,
   * value_out_of_range, overloaded */
  deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered>
  /**
   * Takes many deliveries, for one job in the order given, and answers each in its place: a refusal hinders no other.
   * A host may bound the number of jobs in one call; parcels of the jobs past it are refused (too_many_jobs).
   */
  deliverAll(parcels: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]>
  /**
   * Takes rounds in the order given, each value as a delivery of its own, and answers each round in its place. The hosts'
   * bound on jobs in one call holds for all rounds together.
   */
  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]>
  /** The actor as of its last acknowledged event, or null without an actor. */
  snapshot(jobId: number): Promise<Snapshot | null>
  /** Buckets of a series of numbers, correct to the last acknowledged value. @throws {Refusal} not_found */
  buckets(jobId: number, query: BucketsQuery): Promise<BucketsAnswer>
  /** The same of many series, with the same edges and mode, in the order given. A host may ask each job by itself and fails with the
   * first refusal. @throws {Refusal} not_found */
  bucketsAll(series: readonly SeriesName[], query: BucketsOfAll): Promise<readonly BucketsAnswer[]>
  /** Single samples in order of time, at most `query.limit`. @throws {Refusal} not_found */
  samples(jobId: number, query: SamplesQuery): Promise<SamplesAnswer>
  /** A copy of all that the actor keeps, later than an instant, as lines of JSON (`docs/architecture/formats/backup.md`). It is to be
   * read to its end or cancelled, and ends after a minute without a read. @throws {Refusal} not_found, unavailable */
  archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>>
  /** Replaces the state of the actor by such a copy. A failure leaves no actor.
   * @throws {Refusal} bad_request */
  restore(jobId: number, copied: Copied): Promise<void>
  /** Removes the actor with all it keeps; one that is not there is fine. */
  forget(jobId: number): Promise<void>
}

/** A copy that `archive` made, its time, and the last transition of the actor that was applied elsewhere. */
export type Copied = {
  readonly lines: ReadableStream<Uint8Array>
  readonly madeAt: number
  readonly heardSeq: number
}
