import type { Ports } from '../../../ports/index.ts'
import type { Warning } from '../schema.ts'

/** What arrives can be stored. @throws {Refusal} with the reason why it cannot */
export function valuesAreStored({ ingestHealth }: Ports): Promise<void> {
  const refusal = ingestHealth.refusal()
  return refusal ? Promise.reject(refusal) : Promise.resolve()
}

/** The clock is behind what is stored. */
export function clockIsBehind({ ingestHealth }: Ports): Promise<Warning | null> {
  const behindMs = ingestHealth.clockBehindMs()
  const detail = `The clock is ${Math.ceil(behindMs / 1_000)} s behind the stored values: it was ahead before, or was set back. New values get the latest stored time until the clock has caught up. Check the time synchronisation of this machine.`
  return Promise.resolve(behindMs === 0 ? null : { code: 'clock_behind', detail })
}
