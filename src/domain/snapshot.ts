import type { Value } from './delivery.ts'
import type { State } from './state.ts'

export type Snapshot = {
  readonly revision: number
  readonly state: State
  readonly sinceAt: number
  readonly errorCode: number
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly deadlineAt: number | null
  readonly lastReceivedAt: number | null
  /** The last sign of life, or the start of the job, on the clock from which its deadline counts. */
  readonly heardAt: number
  readonly isFlapping: boolean
  /** Newest raw values by key. */
  readonly current: Readonly<Record<string, { readonly value: Value; readonly at: number }>>
}
