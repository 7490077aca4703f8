import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { rulesOf } from './rules.ts'
import * as store from './store.ts'
import type { JobConfigChange } from './store.ts'

export { markSubtree } from './store.ts'

const CHANGES_AT_ONCE = 200

/** Passes changed configurations to the actors of jobs, and removes the actors of deleted jobs. A change that fails
 * stays queued: hosts call this periodically. */
export async function applyChanges(ports: Ports): Promise<void> {
  for (;;) {
    const changes = await store.readChanges(ports.database, CHANGES_AT_ONCE)
    const told = (await Promise.all(changes.map((change) => tell(ports, change)))).flat()
    await commit(
      ports.database,
      told.map((change) => store.deleteChange(ports.database, change)),
    )
    if (changes.length < CHANGES_AT_ONCE || told.length === 0) return
  }
}

async function tell(ports: Ports, change: JobConfigChange): Promise<JobConfigChange[]> {
  try {
    if (change.job) await ports.jobActors.configure(change.jobId, rulesOf(change.job))
    else await ports.jobActors.forget(change.jobId)
    return [change]
  } catch (error) {
    ports.log.error('job configuration: passing the configuration to the job failed; retrying', error, {
      jobId: change.jobId,
    })
    return []
  }
}
