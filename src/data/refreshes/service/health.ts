import type { Warning } from '../../../operations/health/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { countFailed } from '../store.ts'

/** Holds while the latest refresh of a table failed. */
export async function refreshesFailed({ database }: Ports): Promise<Warning | null> {
  const { count, name } = await countFailed(database)
  if (count === 0) return null
  return {
    code: 'refreshes_failed',
    detail: `The latest refresh of ${count} tables failed, of ${name ?? ''} among others; their rows are old. GET /dataSources/{id}/tables/{table}/refresh has the error.`,
  }
}
