import { dlopen, ptr } from 'bun:ffi'
import { setPriority } from 'node:os'

import { scryptNow } from '../secrets.ts'
import type { HashQuestion, Share } from './hashing.ts'

declare const self: Worker

/** Of a processor that both want, deliveries get ten times as much (nice 10, sched(7)). */
const NICE = 10
const SCHED_IDLE = 5

// Of the calling thread alone: in Linux each has its own. Elsewhere it would be the whole process.
if (process.platform === 'linux') {
  const share = process.argv.at(-1) as Share
  if (share === 'little' || !takesOnlyWhatIsIdle()) setPriority(0, NICE)
}
self.addEventListener('message', ({ data }: MessageEvent<HashQuestion>) => {
  self.postMessage(scryptNow(data.password, data.salt, data.cost))
})

/** From now on this thread runs where nothing else wants to, and stops as soon as something does (SCHED_IDLE, sched(7)).
 * False where that cannot be had: with musl, or in a container that forbids it. */
function takesOnlyWhatIsIdle(): boolean {
  try {
    const library = dlopen('libc.so.6', {
      sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
    })
    // A `struct sched_param` with a priority of 0.
    return library.symbols.sched_setscheduler(0, SCHED_IDLE, ptr(new Int32Array(1))) === 0
  } catch {
    return false
  }
}
