import { cutText, oneLine } from '../../../lib/text.ts'

/** What became of an attempt to tell somebody. */
export type Outcome =
  | { readonly kind: 'sent'; readonly detail: string }
  | {
      readonly kind: 'failed'
      /** Whether trying again is of no use. */
      readonly isFinal: boolean
      readonly detail: string
      /** When the receiver wants to be asked again; null where it does not say. */
      readonly retryAfterMs: number | null
    }

const DETAIL_MAX = 500

export function sent(detail: string): Outcome {
  return { kind: 'sent', detail: cutText(oneLine(detail), DETAIL_MAX) }
}

export function failed(
  detail: string,
  { isFinal = false, retryAfterMs = null }: { isFinal?: boolean; retryAfterMs?: number | null } = {},
): Outcome {
  return { kind: 'failed', isFinal, detail: cutText(oneLine(detail), DETAIL_MAX), retryAfterMs }
}
