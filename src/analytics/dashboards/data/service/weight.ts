import { bytesOf } from '../../../../data/selection/service/read-rows.ts'
import type { WidgetAnswer } from '../schema.ts'

const ANSWER_BYTES = 200

/** About how many bytes answers take in memory. */
export function weightOf(answers: Iterable<WidgetAnswer>): number {
  let bytes = 0
  for (const { data } of answers) {
    bytes += ANSWER_BYTES
    if (data?.kind === 'rows') bytes += bytesOf(data)
    else if (data) bytes += JSON.stringify(data).length
  }
  return bytes
}
