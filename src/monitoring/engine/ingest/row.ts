import { Refusal } from '../../../lib/errors.ts'
import type { Delivery, RefusedRowValue, Round, Value } from '../../../domain/delivery.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Step } from '../../jobs/actor.ts'
import { leavesTimeout } from '../../jobs/judgement.ts'
import { deliveriesOf, refusedAt } from '../../jobs/round.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { Effect, AppendedRows, Job } from '../head/job.ts'

/** A round that was gone through: the places of the values that were accepted, those of them that are only noted, what the
 * others do, and what was refused. A job whose values are of both sorts has the noted ones first. */
type AcceptedRow = {
  readonly places: readonly number[]
  readonly rows: AppendedRows
  readonly effects: readonly Effect[]
  readonly refused: readonly RefusedRowValue[]
  /** The places of values that left error code 5 as it is. */
  readonly timeoutsLeft: readonly number[]
}

/** Who gives the jobs of a round. */
export type JobLookup = {
  readonly find: (jobId: number) => Job | null
  /** @throws {Refusal} */
  readonly admit: (job: Job) => void
}

/** Lets each value of a round take effect on its job, as a delivery of its own. */
export function acceptRow(round: Round, now: number, door: JobLookup): AcceptedRow {
  const { key, values } = round
  const places: number[] = []
  const timeoutsLeft: number[] = []
  const rows = { key, now, jobs: [] as Job[], at: [] as number[], values: [] as Value[] }
  const arrival = arrivalOf(round, now)
  const effects: Effect[] = []
  const before: ActorState[] = []
  const deliveryAt = deliveriesOf(round)
  const { jobs, refused } = admitted(round.jobIds, door)
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
      const result = stepOf(job, delivery, now)
      if (result instanceof Refusal) {
        refused.push(refusedAt(index, result))
        continue
      }
      effects.push({ job, result })
      before.push(job.state)
      // A job that is there twice has had its first value then.
      job.state = result.state
      places.push(index)
      if (leavesTimeout(result.state, delivery)) timeoutsLeft.push(index)
    }
  } catch (error) {
    for (const { job } of effects.toReversed()) job.state = before.pop() ?? job.state
    for (const job of rows.jobs) job.state = job.durable ?? job.state
    throw error
  }
  const inOrder = refused.toSorted((a, b) => a.index - b.index)
  return { places, rows, effects, refused: inOrder, timeoutsLeft }
}

function arrivalOf({ timestampAt, errorCode }: Round, now: number): Arrival {
  return { timestampAt, errorCode: errorCode ?? null, now }
}

type Admitted = { readonly jobs: readonly (Job | null)[]; readonly refused: RefusedRowValue[] }

/** The jobs of a round, with null in place of each that is refused. Their loop is so short that the processor fetches
 * several of them at once: jobs are many, and far apart in memory. Those that wait for a round of the same are known. */
function admitted(jobIds: readonly number[], { find, admit }: JobLookup): Admitted {
  const jobs: (Job | null)[] = []
  const refused: RefusedRowValue[] = []
  const known = find(jobIds[0] ?? 0)?.pendingRows?.jobsOf(jobIds)
  for (let index = 0; index < jobIds.length; index++) {
    const before = known?.[index]
    const job = before && !before.isForgotten ? before : find(jobIds[index] ?? 0)
    const refusal = job ? refusalOf(job, admit) : NO_JOB
    jobs.push(refusal === null ? job : null)
    if (refusal !== null) refused.push(refusedAt(index, refusal))
  }
  return { jobs, refused }
}

const NO_JOB = new Refusal('not_found', 'There is no such webhook job.')

function refusalOf(job: Job, admit: JobLookup['admit']): Refusal | null {
  try {
    admit(job)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function stepOf(job: Job, delivery: Delivery, now: number): Step | Refusal {
  try {
    return step(job.state, { kind: 'deliver', delivery }, now)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
