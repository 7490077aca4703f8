import { Refusal } from '../../../lib/errors.ts'
import type { RefusedSample, Round } from '../../../ports/job-actors.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState } from '../../jobs/actor.ts'
import { deliveriesOf } from '../../jobs/round.ts'
import type { Effect, Job } from '../job.ts'

/** A round that was gone through: the places of the values that were accepted, what these do, and what was refused. */
type TakenRound = {
  readonly places: readonly number[]
  readonly effects: readonly Effect[]
  readonly refused: readonly RefusedSample[]
}

/** Lets each value of a round take effect on its job, as a delivery of its own. `admit` gives the job or refuses. */
export function takeRound(round: Round, now: number, admit: (jobId: number) => Job): TakenRound {
  const places: number[] = []
  const effects: Effect[] = []
  const refused: RefusedSample[] = []
  const before: ActorState[] = []
  const deliveryAt = deliveriesOf(round)
  for (let index = 0; index < round.jobIds.length; index++) {
    try {
      const job = admit(round.jobIds[index] ?? 0)
      const result = step(job.state, { kind: 'deliver', delivery: deliveryAt(index) }, now)
      places.push(index)
      effects.push({ job, result })
      before.push(job.state)
      // A job that is there twice has had its first value then.
      job.state = result.state
    } catch (error) {
      if (!(error instanceof Refusal)) {
        for (const { job } of effects.toReversed()) job.state = before.pop() ?? job.state
        throw error
      }
      refused.push({ index, code: error.code })
    }
  }
  return { places, effects, refused }
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
