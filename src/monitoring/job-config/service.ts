import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import { rulesOf } from './rules.ts'
import * as store from './store.ts'
import type { StaleJobConfig } from './store.ts'

export { enqueueJobConfigs } from './store.ts'

const JOBS_AT_ONCE = 200

/** Sends actors the configurations that they do not have yet, and lets them forget deleted jobs. A job whose actor fails stays in
 * the queue; hosts call this again from time to time. */
export async function applyChanges(ports: Ports): Promise<void> {
  for (;;) {
    const stale = await store.readStaleJobConfigs(ports.database, JOBS_AT_ONCE)
    const applied = (await Promise.all(stale.map((item) => apply(ports, item)))).flat()
    if (applied.length > 0) await commit(ports.database, [store.finishJobConfigs(ports.database, applied)])
    if (stale.length < JOBS_AT_ONCE || applied.length === 0) return
  }
}

/** Whether a forecast has limits of a job. */
function isPredicted({ thresholds }: JobRules): boolean {
  return thresholds.some(({ conditions }) => conditions.some(({ forecast }) => forecast !== undefined))
}

async function apply(ports: Ports, item: StaleJobConfig): Promise<StaleJobConfig[]> {
  try {
    if (item.job) {
      const rules = rulesOf(item.job, ports.settings.timeZone)
      await ports.jobActors.configure(item.objectId, rules)
      if (isPredicted(rules))
        await ports.jobActors.takeBands(item.objectId, await store.readBands(ports.database, item.objectId))
    } else await ports.jobActors.forget(item.objectId)
    return [item]
  } catch (error) {
    ports.log.error('job configuration: passing the configuration to the job failed; retrying', error, {
      jobId: item.objectId,
    })
    return []
  }
}
