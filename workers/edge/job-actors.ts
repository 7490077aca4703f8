import type {
  BucketsAnswer,
  Delivered,
  JobActors,
  SamplesAnswer,
  Snapshot,
} from '../../src/ports/job-actors.ts'
import type { Environment } from './environment.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The actors of jobs as Durable Objects, one for each job id. */
export function jobActorsInObjects(namespace: Environment['JOB']): JobActors {
  const objectOf = (jobId: number) => namespace.get(namespace.idFromName(String(jobId)))
  return {
    configure: async (jobId, rules) =>
      valueOf((await objectOf(jobId).configure(jobId, rules)) as Reply<void>),
    deliver: async (jobId, delivery, sender) =>
      valueOf((await objectOf(jobId).deliver(jobId, delivery, sender)) as Reply<Delivered>),
    snapshot: async (jobId) => valueOf((await objectOf(jobId).snapshot(jobId)) as Reply<Snapshot | null>),
    buckets: async (jobId, query) =>
      valueOf((await objectOf(jobId).buckets(jobId, query)) as Reply<BucketsAnswer>),
    samples: async (jobId, query) =>
      valueOf((await objectOf(jobId).samples(jobId, query)) as Reply<SamplesAnswer>),
    forget: async (jobId) => valueOf((await objectOf(jobId).forget()) as Reply<void>),
  }
}
