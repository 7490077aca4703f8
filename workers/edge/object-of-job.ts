import type { Environment } from './environment.ts'

/** The Durable Object of a job, by the id of the job. */
export function objectOfJob(
  namespace: Environment['JOB'],
  jobId: number,
): ReturnType<Environment['JOB']['get']> {
  return namespace.get(namespace.idFromName(String(jobId)))
}
