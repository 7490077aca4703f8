import type { Ports } from '../../../ports/index.ts'
import { UNKNOWN_LIMITS_MAX } from '../../../ports/ingest-health.ts'
import type { Warning } from '../schema.ts'

/** Checks that deliveries can be stored. @throws {Refusal} with the reason when they cannot */
export function valuesAreStored({ ingestHealth }: Ports): Promise<void> {
  const refusal = ingestHealth.refusal()
  return refusal ? Promise.reject(refusal) : Promise.resolve()
}

const SHOWN_MAX = 10

/** The warning that jobs have unknown limits, which make no alarm; null without such jobs. */
export async function limitsAreUnknown({
  ingestHealth,
}: Pick<Ports, 'ingestHealth'>): Promise<Warning | null> {
  const ids = await ingestHealth.unknownLimits()
  if (ids.length === 0) return null
  const shown = ids.slice(0, SHOWN_MAX).join(', ') + (ids.length > SHOWN_MAX ? ', …' : '')
  const count = ids.length < UNKNOWN_LIMITS_MAX ? String(ids.length) : `${UNKNOWN_LIMITS_MAX} or more`
  const detail = `Predicted or adaptive limits of ${count} ${ids.length === 1 ? 'job' : 'jobs'} are unknown and make no alarm: ${shown}. GET /jobs/{id} has the reason in limits.unknown.`
  return { code: 'limits_unknown', detail }
}

/** The warning that the clock is behind the stored values; null if it is not. */
export function clockIsBehind({ ingestHealth }: Ports): Promise<Warning | null> {
  const behindMs = ingestHealth.clockBehindMs()
  const detail = `The clock is ${Math.ceil(behindMs / 1_000)} s behind the stored values: it was ahead before, or was set back. New values get the latest stored time until the clock has caught up. Check the time synchronisation of this machine.`
  return Promise.resolve(behindMs === 0 ? null : { code: 'clock_behind', detail })
}
