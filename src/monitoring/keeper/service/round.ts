import { Refusal } from '../../../lib/errors.ts'
import type { RefusedSample, Round, Value } from '../../../ports/job-actors.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState } from '../../jobs/actor.ts'
import { deliveriesOf } from '../../jobs/round.ts'
import type { Effect, Heard, Job } from '../job.ts'

/** A round that was gone through: the places of the values that were accepted, those of them that are only noted, what the
 * others do, and what was refused. A job whose values are of both sorts has the noted ones first. */
type TakenRound = {
  readonly places: readonly number[]
  readonly heard: Heard
  readonly effects: readonly Effect[]
  readonly refused: readonly RefusedSample[]
}

/** Lets each value of a round take effect on its job, as a delivery of its own. `admit` gives the job or refuses. */
export function takeRound(round: Round, now: number, admit: (jobId: number) => Job): TakenRound {
  const places: number[] = []
  const { key, timestampAt } = round
  const heard = { key, now, jobs: [] as Job[], at: [] as number[], values: [] as Value[] }
  const arrival = { timestampAt, now }
  const effects: Effect[] = []
  const refused: RefusedSample[] = []
  const before: ActorState[] = []
  const deliveryAt = deliveriesOf(round)
  for (let index = 0; index < round.jobIds.length; index++) {
    try {
      const job = admit(round.jobIds[index] ?? 0)
      const value = round.values[index] ?? 0
      const at = job.hear(key, value, arrival)
      if (at === null) {
        const result = step(job.state, { kind: 'deliver', delivery: deliveryAt(index) }, now)
        effects.push({ job, result })
        before.push(job.state)
        // A job that is there twice has had its first value then.
        job.state = result.state
      } else {
        heard.jobs.push(job)
        heard.at.push(at)
        heard.values.push(value)
      }
      places.push(index)
    } catch (error) {
      if (!(error instanceof Refusal)) {
        for (const { job } of effects.toReversed()) job.state = before.pop() ?? job.state
        for (const job of heard.jobs) job.state = job.durable ?? job.state
        throw error
      }
      refused.push({ index, code: error.code })
    }
  }
  return { places, heard, effects, refused }
}

/** The values of a round at these places. */
export function partOf(round: Round, places: readonly number[]): Round {
  if (places.length === round.jobIds.length) return round
  const { jobIds, values } = round
  return {
    ...round,
    jobIds: places.map((index) => jobIds[index] ?? 0),
    values: places.map((index) => values[index] ?? 0),
  }
}
