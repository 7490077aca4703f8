import { jobsInTurn } from '../../src/monitoring/jobs/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Environment } from './environment.ts'
import { inLanes } from './lanes.ts'
import { objectOfJob } from './object-of-job.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** Each object is called once in so many triggers, two hours, while there are few enough jobs; each call costs a request. */
const TURNS = 24
const LOOKED_AT_MAX = 500
/** In a small installation each lost alarm is found at once, for little. */
const LOOKED_AT_MIN = 5
/** As the first trigger in `wrangler.toml` has it. */
const CRON_MS = 300_000

/** Sets alarms again that the platform has lost: nothing else brings a silent job back. The system database does not know
 * when which job is due, since deliveries do not touch it, so the objects are called, some in each trigger. */
export async function secureAlarms(namespace: Environment['JOB'], ports: Ports): Promise<void> {
  const turn = Math.floor(ports.clock.now() / CRON_MS)
  const lost: number[] = []
  await inLanes(
    await jobsInTurn(ports, turn, {
      pages: TURNS,
      sizeMin: LOOKED_AT_MIN,
      sizeMax: LOOKED_AT_MAX,
    }),
    async (jobId) => {
      try {
        const reply = (await objectOfJob(namespace, jobId).secure()) as Reply<boolean>
        if (valueOf(reply)) lost.push(jobId)
      } catch (error) {
        ports.log.error('jobs: could not verify the wake-up timer of a job; retrying', error, { jobId })
      }
    },
  )
  if (lost.length > 0)
    ports.log.warn('jobs: wake-up timers were lost and have been set again', { jobs: lost.length })
}
