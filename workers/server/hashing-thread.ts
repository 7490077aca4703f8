import { setPriority } from 'node:os'

import { scryptNow } from '../secrets.ts'
import type { HashQuestion, Share } from './hashing.ts'

declare const self: Worker

/** Of a processor that both want, deliveries get ten times as much (nice 10, sched(7)). */
const NICE = 10
/** A thread with this policy runs only while no other thread is runnable (sched(7)). */
export const SCHED_IDLE = 5

/** Answers hashes in this thread. `becomesIdle` gives it the policy `SCHED_IDLE`; false where that cannot be had: with musl, or
 * in a container that forbids it. */
export function answerHashes(share: Share, becomesIdle: () => boolean): void {
  // Of the calling thread alone: in Linux each has its own. Elsewhere it would be the whole process.
  if (process.platform === 'linux' && (share === 'little' || !becomesIdle())) setPriority(0, NICE)
  self.addEventListener('message', ({ data }: MessageEvent<HashQuestion>) => {
    self.postMessage(scryptNow(data.password, data.salt, data.cost))
  })
}
