import type { Secrets } from '../../src/ports/secrets.ts'
import { openHashing as openHashingIn } from '../server/hashing.ts'
import type { Share } from '../server/hashing.ts'

/** scrypt in threads of Bun. */
export function openHashing(patienceMs?: number): Secrets['scrypt'] {
  return openHashingIn(startThread, patienceMs)
}

/** The threads of this process, shared by all callers. */
export const scryptInThreads = openHashing()

function startThread(share: Share): Worker {
  const thread = new Worker(new URL('./hashing-thread.ts', import.meta.url), { argv: [share] })
  // An idle thread must not keep the process alive.
  thread.unref()
  return thread
}
