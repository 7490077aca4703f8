import type { Secrets } from '../../src/ports/secrets.ts'
import { openHashing } from '../server/hashing.ts'
import type { Share } from '../server/hashing.ts'

/** scrypt in threads of Deno, which end with the process. */
export const scryptInThreads: Secrets['scrypt'] = openHashing(startThread)

/** The name of a thread is its only argument. */
function startThread(share: Share): Worker {
  return new Worker(new URL('./hashing-thread.ts', import.meta.url), { type: 'module', name: share })
}
