import type { Column, Row } from '../../domain/table.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Generation } from '../../ports/tables.ts'

export type TableRows = {
  readonly to: Generation
  readonly columns: readonly Column[]
  readonly rows: AsyncIterable<readonly Row[], void>
}

/** The restore hooks of rooms above this one; `app.ts` passes them. */
export type RestoreHooks = {
  /** The names of the objects that a first start creates: an installation without others counts as empty. */
  readonly firstNames: { readonly device: string; readonly job: string }
  /** The write that pauses notifications until an operator resumes them. */
  readonly pauseNotifications: (database: Database, at: number) => Write
  /** A new generation of a data source, which is deleted after this time unless a table gets it. */
  readonly beginGeneration: (ports: Ports, sourceId: number, keptMs: number) => Promise<Generation>
  /** Fills a generation. @returns how many rows there were */
  readonly fillGeneration: (ports: Ports, rows: TableRows, signal: AbortSignal) => Promise<number>
  /** Lets the next sweep delete a generation unless a table has it. */
  readonly abandonGeneration: (ports: Ports, generation: Generation) => Promise<void>
  /** Sends the restored configurations to the actors of jobs. */
  readonly applyJobConfigs: (ports: Ports) => Promise<void>
}
