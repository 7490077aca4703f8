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
import { deliveredFields, pointingIntoArray } from '../../service/deliver.ts'

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

/** The JSON texts of answers to single deliveries; most differ from the one before in little but their job. */
export function singleTexts(format: TimeFormat) {
  let last: Delivered | null = null
  let lastText = ''
  return (jobId: number | null, outcome: Delivered): string => {
    if (!last || !isSame(last, outcome)) {
      lastText = JSON.stringify({
        status: 200,
        ...deliveredFields(format, outcome),
        ...replayed(outcome),
      }).slice(1)
      last = outcome
    }
    return `{"jobId":${jobId},${lastText}`
  }
}

function isSame(one: Delivered, other: Delivered): boolean {
  return (
    one.accepted === other.accepted &&
    one.timestampAt === other.timestampAt &&
    one.late === other.late &&
    one.state === other.state &&
    one.errorCode === other.errorCode &&
    one.deadlineAt === other.deadlineAt &&
    one.replayed === other.replayed
  )
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
