import type { State } from '../../src/domain/state.ts'
import type { Transition } from '../../src/domain/transition.ts'

/** A value of a job crossed a threshold; noticed in the same instant unless told otherwise. */
export function crossing(
  objectId: number,
  {
    seq,
    at,
    detectedAt = at,
    from = 'ok',
    to,
    errorCode = 0,
  }: {
    readonly seq: number
    readonly at: number
    readonly detectedAt?: number
    readonly from?: State
    readonly to: State
    readonly errorCode?: number
  },
): Transition {
  return {
    objectId,
    seq,
    at,
    detectedAt,
    from,
    to,
    reason: 'threshold',
    errorCode,
    message: null,
    silentSinceAt: null,
  }
}
