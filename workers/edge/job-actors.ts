import { Refusal } from '../../src/lib/errors.ts'
import { itemsOf, roundOutcome } from '../../src/monitoring/jobs/round.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import type {
  Delivered,
  DeliveredRound,
  DeliveryOutcome,
  BulkItem,
  Round,
  Sender,
} from '../../src/domain/delivery.ts'
import type { BucketsAnswer, BucketsOfAll, SamplesAnswer, SeriesName } from '../../src/domain/series.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Environment } from './environment.ts'
import { inLanes } from './lanes.ts'
import { objectOfJob } from './object-of-job.ts'
import { outcomeOf, valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** Jobs in one call of `deliverAll`: each costs a subrequest, of which a request has 10,000 on the paid plan. On the free
 * plan it has 50: deliveries to more jobs are answered `unavailable` and not stored. */
export const JOBS_PER_CALL_MAX = 9_000
/** A backup also calls the database and the store of blobs. */
const ARCHIVES_MAX = 4_000
/** Each snapshot is a call, and wakes the object. */
const SNAPSHOTS_MAX = 1_000

type ObjectOf = (jobId: number) => ReturnType<typeof objectOfJob>

/** The actors of jobs as Durable Objects, one for each job id. */
export function jobActorsInObjects(namespace: Environment['JOB'], log: Log): JobActors {
  const objectOf: ObjectOf = (jobId) => objectOfJob(namespace, jobId)
  return {
    archivesMax: ARCHIVES_MAX,
    snapshotsMax: SNAPSHOTS_MAX,
    configure: async (jobId, rules) =>
      valueOf((await objectOf(jobId).configure(jobId, rules)) as Reply<void>),
    takeBands: async (jobId, bands) =>
      valueOf((await objectOf(jobId).takeBands(jobId, bands)) as Reply<void>),
    deliver: async (jobId, delivery, sender) =>
      valueOf((await objectOf(jobId).deliver(jobId, delivery, sender)) as Reply<Delivered>),
    deliverAll: (parcels, sender) => deliverAll(parcels, sender, { objectOf, log }),
    deliverRounds: (rounds, sender) => deliverRounds(rounds, sender, { objectOf, log }),
    snapshot: async (jobId) => valueOf((await objectOf(jobId).snapshot(jobId)) as Reply<Snapshot | null>),
    buckets: async (jobId, query) =>
      valueOf((await objectOf(jobId).buckets(jobId, query)) as Reply<BucketsAnswer>),
    bucketsAll: (series, query) => bucketsAll(series, query, objectOf),
    samples: async (jobId, query) =>
      valueOf((await objectOf(jobId).samples(jobId, query)) as Reply<SamplesAnswer>),
    archive: async (jobId, notBeforeAt) =>
      valueOf((await objectOf(jobId).archive(jobId, notBeforeAt)) as Reply<ReadableStream<Uint8Array>>),
    restore: async (jobId, { lines, madeAt, heardSeq }) =>
      valueOf((await objectOf(jobId).restore(jobId, { lines, madeAt, heardSeq })) as Reply<void>),
    forget: async (jobId) => valueOf((await objectOf(jobId).forget(jobId)) as Reply<void>),
  }
}

/** One call for each job, some at a time, because all answers are in memory until the last one has come. */
async function bucketsAll(
  series: readonly SeriesName[],
  query: BucketsOfAll,
  objectOf: ObjectOf,
): Promise<readonly BucketsAnswer[]> {
  const jobs = [...Map.groupBy(series.entries(), ([, { jobId }]) => jobId)]
  const answers = new Map<number, BucketsAnswer>()
  await inLanes(jobs, async ([jobId, own]) => {
    const names = own.map(([, name]) => name)
    const reply = (await objectOf(jobId).bucketsAll(names, query)) as Reply<readonly BucketsAnswer[]>
    for (const [index, answer] of valueOf(reply).entries()) answers.set(own[index]?.[0] ?? -1, answer)
  })
  return series.map((_, place) => answers.get(place) ?? missing())
}

function missing(): never {
  throw new TypeError('The job answered no series.')
}

type IndexedItem = { readonly place: number; readonly parcel: BulkItem }
type Objects = { readonly objectOf: ObjectOf; readonly log: Log }

/** One call for each job, all at the same time. */
async function deliverAll(
  parcels: readonly BulkItem[],
  sender: Sender,
  objects: Objects,
): Promise<readonly DeliveryOutcome[]> {
  const placed = parcels.map((parcel, place): IndexedItem => ({ place, parcel }))
  const jobs = [...Map.groupBy(placed, ({ parcel }) => parcel.jobId)]
  const outcomes: DeliveryOutcome[] = parcels.map(() => TOO_MANY_JOBS)
  await Promise.all(
    jobs.slice(0, JOBS_PER_CALL_MAX).map(async ([jobId, own]) => {
      const answered = await deliverToJob(jobId, own, { ...objects, sender })
      own.forEach(({ place }, index) => (outcomes[place] = answered[index] ?? NO_ANSWER))
    }),
  )
  return outcomes
}

/** An object has one job: all rounds are sent as single deliveries, in one call to each object. */
async function deliverRounds(
  rounds: readonly Round[],
  sender: Sender,
  objects: Objects,
): Promise<readonly DeliveredRound[]> {
  const parcels = rounds.flatMap((round) => itemsOf(round, () => null))
  const outcomes = await deliverAll(parcels, sender, objects)
  let from = 0
  return rounds.map(({ jobIds }) => roundOutcome(outcomes.slice(from, (from += jobIds.length))))
}

async function deliverToJob(
  jobId: number,
  own: readonly IndexedItem[],
  { objectOf, log, sender }: Objects & { readonly sender: Sender },
): Promise<readonly DeliveryOutcome[]> {
  try {
    const parcels = own.map(({ parcel }) => parcel)
    const reply = (await objectOf(jobId).deliverAll(parcels, sender)) as Reply<
      readonly Reply<DeliveryOutcome>[]
    >
    return valueOf(reply).map(outcomeOf)
  } catch (error) {
    if (error instanceof Refusal) return own.map(() => error)
    // Deliveries to other jobs are stored, and their outcomes have to be answered.
    log.error('jobs: the object of a job did not answer; its deliveries were rejected', error, { jobId })
    return own.map(() => NO_ANSWER)
  }
}

const NO_ANSWER = new Refusal('unavailable', 'The job did not answer. Try again shortly.')
const TOO_MANY_JOBS = new Refusal(
  'too_many_jobs',
  `A request must name at most ${JOBS_PER_CALL_MAX} different jobs on this host. Send the others in another request.`,
)
