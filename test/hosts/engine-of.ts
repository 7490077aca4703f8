import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'

/** The engine of a host that has all its jobs in one. @throws {TypeError} */
export function engineOf(jobActors: JobActors): JobEngine {
  if (!(jobActors instanceof JobEngine)) throw new TypeError('This host keeps its jobs elsewhere.')
  return jobActors
}
