import type { QueryLimits } from '../../../ports/databases.ts'
import type { Generation } from '../../../ports/tables.ts'

/** The signal and the reports of a refresh. */
export type Course = { readonly signal: AbortSignal; readonly progress: (share: number) => void }

/** The limits of a refresh, and how many rows the table had. `key` belongs to this attempt alone. */
export type Filling = { readonly limits: QueryLimits; readonly rowsBefore: number; readonly key: string }

/** Fills a generation with the rows of an origin that was opened, and returns how many there are. */
export type FillRows = (to: Generation) => Promise<number>

/** The share of a refresh after which its rows are read and only stored. */
export const READ_SHARE = 0.5
