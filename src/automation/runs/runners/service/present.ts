import type { Ports } from '../../../../ports/index.ts'
import { POLL_MS } from '../../protocol.ts'
import type { AboutRunner } from '../../protocol.ts'
import * as store from '../store.ts'

/** A present runner polls more often than this. */
export const PRESENT_MS = POLL_MS + 15_000

/** The reports of the present runners. */
export function presentRunners({
  database,
  clock,
}: Pick<Ports, 'database' | 'clock'>): Promise<AboutRunner[]> {
  const now = clock.now()
  // A runner that was seen further ahead was seen before the clock was set back.
  return store.listPresent(database, { afterAt: now - PRESENT_MS, beforeAt: now + PRESENT_MS })
}

/** Whether a runner is there that takes jobs. */
export async function hasTakers(ports: Pick<Ports, 'database' | 'clock'>): Promise<boolean> {
  return (await presentRunners(ports)).some(({ refusal }) => refusal === null)
}
