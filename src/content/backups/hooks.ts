import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'

/** What a restore asks of rooms above this one; `app.ts` gives it. */
export type RestoreHooks = {
  /** The names of the objects that a first start creates: an installation without others counts as empty. */
  readonly firstNames: { readonly device: string; readonly job: string }
  /** The write that pauses notifications until an operator resumes them. */
  readonly pauseNotifications: (database: Database, at: number) => Write
  /** Sends the restored configurations to the actors of jobs. */
  readonly applyJobConfigs: (ports: Ports) => Promise<void>
}
