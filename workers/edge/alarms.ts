import { jobsInTurn } from '../../src/monitoring/jobs/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Environment } from './environment.ts'
import { inLanes } from './lanes.ts'
import { objectOfJob } from './object-of-job.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The triggers within which each object is called once: two hours, unless there are too many jobs. Each call costs a request. */
const TURNS = 24
const LOOKED_AT_MAX = 500
/** In a small installation each trigger calls all objects, at a low cost. */
const LOOKED_AT_MIN = 5
/** The period of the first trigger in `wrangler.toml`. */
const CRON_MS = 300_000

/** Sets alarms again that the platform has lost: without its alarm a silent job is never noticed. The system database has no
 * deadlines of jobs, because deliveries do not write to it, so each trigger calls some of the objects. */
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
