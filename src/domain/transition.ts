import type { State, Reason } from './state.ts'

/** One committed change of an object's state. `(objectId, seq)` identifies it for good, so that it may be delivered twice. */
export type Transition = {
  readonly objectId: number
  /** Counts the object's transitions from 1, without gaps. */
  readonly seq: number
  /** When the state changed; `detectedAt` is when the service noticed. */
  readonly at: number
  readonly detectedAt: number
  readonly from: State
  readonly to: State
  readonly reason: Reason
  readonly errorCode: number
  readonly message: string | null
  /** Set while the object is silent: the instant of its last sign of life. */
  readonly silentSinceAt: number | null
  /** Set where a job began or ceased to flap: then its state is as it was. */
  readonly isFlapping?: boolean
  /** Set where what is wrong with a bad job has changed and its state has not: whether its error code is another one. */
  readonly isNewCode?: boolean
}
