import { setPriority } from 'node:os'

import { scryptNow } from '../secrets.ts'
import type { HashQuestion, Share } from './hashing.ts'

declare const self: Worker

/** Deliveries get ten times as much processor time as a thread with this nice value (sched(7)). */
const NICE = 10
/** A thread with this policy runs only while no other thread is runnable (sched(7)). */
export const SCHED_IDLE = 5

/** Computes hashes in this thread. `becomesIdle` gives the thread the policy `SCHED_IDLE`, and returns false if the system
 * refuses it: with musl, or in a container that forbids the policy. */
export function answerHashes(share: Share, becomesIdle: () => boolean): void {
  // On Linux each thread has its own priority. On other systems the call would change the priority of the whole process.
  if (process.platform === 'linux' && (share === 'little' || !becomesIdle())) setPriority(0, NICE)
  self.addEventListener('message', ({ data }: MessageEvent<HashQuestion>) => {
    self.postMessage(scryptNow(data.password, data.salt, data.cost))
  })
}
