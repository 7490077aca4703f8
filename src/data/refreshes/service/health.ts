import type { Warning } from '../../../operations/health/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { countBehind } from '../store/leases.ts'

const LATE_MS = 15 * 60_000

/** Holds while the latest refresh of a table or of the result of a data query failed. */
export async function refreshesFailed({ database }: Ports): Promise<Warning | null> {
  const { count, name } = await countBehind(database, { kind: 'failed' })
  if (count === 0) return null
  return {
    code: 'refreshes_failed',
    detail: `The latest refresh of ${count} tables and results of data queries failed, of ${name ?? ''} among others; their rows are old. GET /dataSources/{id}/tables/{table}/refresh and GET /dataQueries/{id} have the errors.`,
  }
}

/** Holds while refreshes are due for a quarter of an hour: too many are due, or none are begun. */
export async function refreshesLate({ database, clock }: Ports): Promise<Warning | null> {
  const { count, name } = await countBehind(database, { kind: 'late', before: clock.now() - LATE_MS })
  if (count === 0) return null
  return {
    code: 'refreshes_late',
    detail: `${count} tables and results of data queries are due for a refresh for more than 15 minutes, ${name ?? ''} among others. Refresh fewer of them, or less often.`,
  }
}
