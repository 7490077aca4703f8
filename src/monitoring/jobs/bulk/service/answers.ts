import { statusOf } from '../../../../http/problem.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { TimeFormat } from '../../../../lib/time.ts'
import type {
  Delivered,
  DeliveredRound,
  DeliveredRun,
  Outcome,
  Repeat,
} from '../../../../ports/job-actors.ts'
import { pointingIntoArray } from '../../service/deliver.ts'
import { deliveredText } from '../../service/delivered.ts'

/** The key of one item of a call. */
export function repeatAt(whole: Repeat | null, place: string): Repeat | null {
  return whole && { ...whole, key: `${whole.key} ${place}` }
}

/** Whether everything that was taken had been taken before. */
export function areReplayed(outcomes: readonly (Outcome | DeliveredRound)[]): boolean {
  let taken = 0
  for (const outcome of outcomes) {
    if (outcome instanceof Refusal) continue
    const isNothing = !('state' in outcome) && outcome.accepted === 0
    if (isNothing) continue
    if (outcome.replayed !== true) return false
    taken++
  }
  return taken > 0
}

/** The JSON text of the answer to a single delivery. */
export function singleText(format: TimeFormat, jobId: number | null, outcome: Delivered): string {
  const again = outcome.replayed === true ? ',"replayed":true' : ''
  return `{"jobId":${jobId},"status":200,${deliveredText(format, outcome)}${again}}`
}

export function runView(format: TimeFormat, jobId: number | null, outcome: DeliveredRun) {
  const { accepted, late, refused, state, errorCode, deadlineAt } = outcome
  const nextTimeoutAt = deadlineAt === null ? null : format(deadlineAt)
  return {
    jobId,
    status: 200,
    accepted,
    late,
    refused,
    state,
    errorCode,
    nextTimeoutAt,
    ...replayed(outcome),
  }
}

export function roundView(outcome: DeliveredRound) {
  const { accepted, late, refused } = outcome
  return { status: 200, accepted, late, refused, ...replayed(outcome) }
}

/** A refused item, with pointers into the whole body; `isArray` when its values came in `returnValue`. */
export function refusedView(refusal: Refusal, pointer: string, isArray = false) {
  const { code, detail, errors } = isArray ? pointingIntoArray(refusal) : refusal
  const pointed = errors.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }))
  return { status: statusOf(code), code, detail, errors: pointed }
}

function replayed(outcome: { readonly replayed?: true }): { replayed?: true } {
  return outcome.replayed === true ? { replayed: true } : {}
}
