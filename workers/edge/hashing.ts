import type { Secrets } from '../../src/ports/secrets.ts'
import { scryptInSteps } from './scrypt.ts'

/** The longest pause between two steps of a hash, each of which takes about a millisecond. */
const REST_MAX_MS = 20

/** scrypt that pauses for other work of the isolate. The platform's own scrypt does not pause, and deliveries wait until it has
 * ended. */
export const scryptBeside: Secrets['scrypt'] = (password, salt, cost) =>
  scryptInSteps(password, salt, cost, giveWay)

/** Resolves after two turns of the event loop without other work, at the latest after the longest pause. */
async function giveWay(): Promise<void> {
  const begunAt = Date.now()
  let now = begunAt
  let quiet = 0
  while (quiet < 2 && now - begunAt < REST_MAX_MS) {
    const turnAt = now
    await new Promise((resolve) => setTimeout(resolve, 0))
    now = Date.now()
    quiet = now - turnAt > 1 ? 0 : quiet + 1
  }
}
