import type { Blobs } from '../../ports/blobs.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { Transition } from '../../domain/transition.ts'
import type { Range } from '../../lib/range.ts'
import type { Log } from '../../ports/log.ts'
import type { Traces } from '../../ports/traces.ts'
import type { Subscribers } from '../events/values.ts'
import type { ValuesDatabase } from '../../ports/values-database.ts'

/** The engine's port to its host. */
export type EngineHost = {
  readonly values: ValuesDatabase
  /** Where samples go that are past change. */
  readonly blobs: Blobs
  /** How many bytes of them make a blob; 64 KiB unless the host says otherwise. */
  readonly blobBytes?: number
  readonly clock: SteadyClock
  readonly log: Log
  /** Resolves once everything that is ready now has had its turn: what arrives meanwhile shares a commit. */
  turn(): Promise<void>
  /** Carries committed transitions on. Called in order, at least once each; it may throw, and is then called again. */
  follow(transitions: readonly Transition[]): Promise<void>
  /** The subscriber of received values, called once they are durable. */
  readonly subscribers?: Subscribers
  /** When a job was in maintenance in a range of the past; a host without it has none. */
  maintenanceOf?(jobId: number, range: Range): Promise<readonly Range[]>
  /** Absent or null: commits have no spans. */
  readonly traces?: Traces | null
  /** Bytes that may be stored before what deletes and the rest of the service need would be missing; may be negative. */
  freeBytes(): number
  /** The engine's `nextAt` moved earlier. */
  armed(): void
  /** The pending commit has a deadline at this instant at the latest. A host that needs a timer to find it after a
   * crash sets it now; when this rejects, nothing is committed. */
  beforeCommit?(lookAt: number): Promise<void>
}
