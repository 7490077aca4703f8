import type { TimeFormat } from '../../../lib/time.ts'
import type { Delivered } from '../../../ports/job-actors.ts'

/** The fields of the answer to a delivery. */
function deliveredFields(format: TimeFormat, delivered: Delivered) {
  return {
    accepted: delivered.accepted,
    timestamp: format(delivered.timestampAt),
    late: delivered.late,
    state: delivered.state,
    errorCode: delivered.errorCode,
    nextTimeoutAt: delivered.deadlineAt === null ? null : format(delivered.deadlineAt),
  }
}

/** What was written last, and of what. */
let last: { readonly format: TimeFormat; readonly delivered: Delivered; readonly text: string } | null = null

/** The fields of the answer to a delivery, between the braces of a JSON object. Most differ from those before in their job
 * only. */
export function deliveredText(format: TimeFormat, delivered: Delivered): string {
  if (last?.format !== format || !isSame(last.delivered, delivered)) {
    const text = JSON.stringify(deliveredFields(format, delivered)).slice(1, -1)
    last = { format, delivered, text }
  }
  return last.text
}

function isSame(one: Delivered, other: Delivered): boolean {
  return (
    one.accepted === other.accepted &&
    one.timestampAt === other.timestampAt &&
    one.late === other.late &&
    one.state === other.state &&
    one.errorCode === other.errorCode &&
    one.deadlineAt === other.deadlineAt
  )
}
