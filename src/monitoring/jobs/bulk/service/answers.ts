import { statusOf } from '../../../../http/problem.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { TimeFormat } from '../../../../lib/time.ts'
import type {
  Delivered,
  DeliveredRound,
  DeliveredSeries,
  DeliveryOutcome,
  Repeat,
} from '../../../../domain/delivery.ts'
import { pointingIntoArray } from '../../service/deliver.ts'
import { deliveredText, runText, TIMEOUT_LEFT_WARNING } from '../../service/delivered.ts'

/** The key of one item of a call. */
export function repeatAt(whole: Repeat | null, place: string): Repeat | null {
  return whole && { ...whole, key: `${whole.key} ${place}` }
}

/** Whether all accepted items had been accepted before. */
export function areReplayed(outcomes: readonly (DeliveryOutcome | DeliveredRound)[]): boolean {
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

/** The answer to a delivery or a series, as JSON. */
export function itemText(
  format: TimeFormat,
  jobId: number | null,
  outcome: Delivered | DeliveredSeries,
): string {
  const fields = 'refused' in outcome ? runText(format, outcome) : deliveredText(format, outcome)
  const again = outcome.replayed === true ? ',"replayed":true' : ''
  return `{"jobId":${jobId},"status":200,${fields}${again}}`
}

export function roundView(outcome: DeliveredRound) {
  const { accepted, late, refused, timeoutsLeft: indexes, replayed } = outcome
  return {
    status: 200,
    accepted,
    late,
    refused: refused.map(({ index, code }) => ({ index, code })),
    ...(indexes ? { warnings: [{ ...TIMEOUT_LEFT_WARNING, indexes }] } : {}),
    ...(replayed === true ? { replayed } : {}),
  }
}

/** A rejected item, with pointers into the whole body. @param isArray whether its values came in `returnValue` */
export function refusedView(refusal: Refusal, pointer: string, isArray = false) {
  const { code, detail, errors } = isArray ? pointingIntoArray(refusal) : refusal
  const pointed = errors.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }))
  return { status: statusOf(code), code, detail, errors: pointed }
}
