import { Keeper } from '../../src/monitoring/engine/service.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'

/** The keeper of a host that has all its jobs in one. @throws {TypeError} */
export function keeperOf(jobActors: JobActors): Keeper {
  if (!(jobActors instanceof Keeper)) throw new TypeError('This host keeps its jobs elsewhere.')
  return jobActors
}
