import type { Ports } from '../../../ports/index.ts'
import type { Warning } from '../schema.ts'

/** The clock is behind what is stored. */
export function clockIsBehind({ hearing }: Ports): Promise<Warning | null> {
  const behindMs = hearing.clockBehindMs()
  const detail = `The clock is ${Math.ceil(behindMs / 1_000)} s behind what is stored: it was ahead before, or was set back. Values are stamped with the latest stored instant until it has caught up. Check the time synchronisation of this machine.`
  return Promise.resolve(behindMs === 0 ? null : { code: 'clock_behind', detail })
}
