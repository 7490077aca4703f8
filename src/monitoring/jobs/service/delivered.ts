import type { Repeatable } from '../../../http/idempotency.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Delivered, DeliveredSeries } from '../../../domain/delivery.ts'
import { TIMEOUT_LEFT } from '../judgement.ts'

/** The warning for values that did not end error code 5. */
export const TIMEOUT_LEFT_WARNING = { code: 'error_code_stands', message: TIMEOUT_LEFT } as const

/** The answer to a delivery. */
export function answerOf({ settings }: Ports, jobId: number, delivered: Delivered): Repeatable {
  const fields = deliveredText(timeFormat(settings.timeZone), delivered)
  return { text: `{"jobId":${jobId},${fields}}`, isReplayed: delivered.replayed === true }
}

/** The fields of the answer to a delivery, as JSON without the braces. */
export const deliveredText = mostlyAgain<Delivered>(
  (format, delivered) => ({
    accepted: delivered.accepted,
    timestamp: format(delivered.timestampAt),
    late: delivered.late,
    ...stateFields(format, delivered),
  }),
  (one, other) => one.timestampAt === other.timestampAt && isSame(one, other),
)

/** The fields of the answer to a series, as JSON without the braces. */
export const runText = mostlyAgain<DeliveredSeries>(
  (format, run) => ({
    accepted: run.accepted,
    late: run.late,
    refused: run.refused,
    ...stateFields(format, run),
  }),
  (one, other) => one.refused.length === 0 && other.refused.length === 0 && isSame(one, other),
)

function stateFields(
  format: TimeFormat,
  {
    state,
    errorCode,
    deadlineAt,
    leavesTimeout,
  }: Pick<Delivered, 'state' | 'errorCode' | 'deadlineAt' | 'leavesTimeout'>,
) {
  const fields = { state, errorCode, nextTimeoutAt: deadlineAt === null ? null : format(deadlineAt) }
  return leavesTimeout ? { ...fields, warnings: [TIMEOUT_LEFT_WARNING] } : fields
}

function isSame<Good extends Delivered | DeliveredSeries>(one: Good, other: Good): boolean {
  return (
    one.accepted === other.accepted &&
    one.late === other.late &&
    one.state === other.state &&
    one.errorCode === other.errorCode &&
    one.deadlineAt === other.deadlineAt &&
    one.leavesTimeout === other.leavesTimeout
  )
}

/** Caches the latest text: most answers differ from the previous one in the job only, which is not among these
 * fields. */
function mostlyAgain<Good>(
  fieldsOf: (format: TimeFormat, outcome: Good) => object,
  isAgain: (one: Good, other: Good) => boolean,
): (format: TimeFormat, outcome: Good) => string {
  let last: { readonly format: TimeFormat; readonly outcome: Good; readonly text: string } | null = null
  return (format, outcome) => {
    if (last?.format !== format || !isAgain(last.outcome, outcome)) {
      const text = JSON.stringify(fieldsOf(format, outcome)).slice(1, -1)
      last = { format, outcome, text }
    }
    return last.text
  }
}
