import type { Secrets } from '../../src/ports/secrets.ts'
import { scryptInSteps } from './scrypt.ts'

/** Between two steps of a hash, of a millisecond each, others have the processor for so long at most. */
const REST_MAX_MS = 20

/** scrypt with what nothing else in the isolate wants of the processor, or with a little of it: the platform's own takes all
 * of it until it is done, and deliveries wait. */
export const scryptBeside: Secrets['scrypt'] = (password, salt, cost) =>
  scryptInSteps(password, salt, cost, giveWay)

/** Resolves after two turns in which nothing else was done, or when others have had theirs for long. */
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
