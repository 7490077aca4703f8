import { cutText, oneLine } from '../../../lib/text.ts'

/** The result of an attempt to notify. */
export type Outcome =
  | { readonly kind: 'sent'; readonly detail: string }
  | {
      readonly kind: 'failed'
      /** Whether further attempts are pointless. */
      readonly isFinal: boolean
      readonly detail: string
      /** The delay that the receiver asks for; null if it gives none. */
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
