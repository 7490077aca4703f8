import { Refusal, asRefusal, noSuch } from '../../../lib/errors.ts'
import type { Delivery, RefusedRowValue, Round, Value } from '../../../domain/delivery.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Step } from '../../jobs/actor.ts'
import { leavesTimeout } from '../../jobs/judgement.ts'
import { deliveriesOf, refusedAt } from '../../jobs/round.ts'
import type { Head } from '../head/head.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { AppendedRows, Effect, Job } from '../head/job.ts'
import type { Admission } from './admission.ts'

/** A row whose values were applied to their jobs. */
type AcceptedRow = {
  /** The indexes of accepted values. */
  readonly places: readonly number[]
  /** Values that skipped the step. For a job with values of both kinds, they come before its effects. */
  readonly rows: AppendedRows
  readonly effects: readonly Effect[]
  readonly refused: readonly RefusedRowValue[]
  /** The indexes of values that left error code 5 as it is. */
  readonly timeoutsLeft: readonly number[]
}

/** Applies each value of a row to its job, as a delivery of its own. Null instead of an admission admits all jobs. */
export function acceptRow(
  round: Round,
  now: number,
  head: Head,
  admission: Pick<Admission, 'admit'> | null,
): AcceptedRow {
  const { key, values } = round
  const places: number[] = []
  const timeoutsLeft: number[] = []
  const rows = { key, now, jobs: [] as Job[], at: [] as number[], values: [] as Value[] }
  const arrival = arrivalOf(round, now)
  const effects: Effect[] = []
  const before: ActorState[] = []
  const deliveryAt = deliveriesOf(round)
  const { jobs, refused } = admittedJobs(round.jobIds, head, admission)
  try {
    for (let index = 0; index < jobs.length; index++) {
      const job = jobs[index]
      if (!job) continue
      const value = values[index] ?? 0
      const at = job.append(key, value, arrival)
      if (at !== null) {
        rows.jobs.push(job)
        rows.at.push(at)
        rows.values.push(value)
        places.push(index)
        continue
      }
      const delivery = deliveryAt(index)
      const state = job.currentState()
      const result = stepOf(state, delivery, now)
      if (result instanceof Refusal) {
        refused.push(refusedAt(index, result))
        continue
      }
      effects.push({ job, result })
      before.push(state)
      // A job may be in the row twice: its second value follows this state.
      job.accept(result.state)
      places.push(index)
      if (leavesTimeout(result.state, delivery)) timeoutsLeft.push(index)
    }
  } catch (error) {
    for (const { job } of effects.toReversed()) job.accept(before.pop() ?? job.currentState())
    for (const job of rows.jobs) job.accept(job.flushed().durable ?? job.currentState())
    throw error
  }
  const inOrder = refused.toSorted((a, b) => a.index - b.index)
  return { places, rows, effects, refused: inOrder, timeoutsLeft }
}

function arrivalOf({ timestampAt, errorCode }: Round, now: number): Arrival {
  return { timestampAt, errorCode: errorCode ?? null, now }
}

type AdmittedJobs = { readonly jobs: readonly (Job | null)[]; readonly refused: RefusedRowValue[] }

/** Looks jobs up and admits them; null in place of each refused job. The loop is short, so that the processor fetches
 * several jobs at once: they are far apart in memory. The jobs of the pending rows of the same list are known. */
function admittedJobs(
  jobIds: readonly number[],
  head: Head,
  admission: Pick<Admission, 'admit'> | null,
): AdmittedJobs {
  const jobs: (Job | null)[] = []
  const refused: RefusedRowValue[] = []
  const known = head.find(jobIds[0] ?? 0)?.pendingRows?.jobsOf(jobIds)
  for (let index = 0; index < jobIds.length; index++) {
    const before = known?.[index]
    const job = before && !before.isForgotten ? before : head.find(jobIds[index] ?? 0)
    const refusal = job ? refusalOf(job, admission) : NO_JOB
    jobs.push(refusal === null ? job : null)
    if (refusal !== null) refused.push(refusedAt(index, refusal))
  }
  return { jobs, refused }
}

const NO_JOB = noSuch('webhook job')

function refusalOf(job: Job, admission: Pick<Admission, 'admit'> | null): Refusal | null {
  try {
    admission?.admit(job)
    return null
  } catch (error) {
    return asRefusal(error)
  }
}

function stepOf(state: ActorState, delivery: Delivery, now: number): Step | Refusal {
  try {
    return step(state, { kind: 'deliver', delivery }, now)
  } catch (error) {
    return asRefusal(error)
  }
}
