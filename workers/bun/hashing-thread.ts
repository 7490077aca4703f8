import { setPriority } from 'node:os'

import { scryptNow } from '../secrets.ts'
import type { HashQuestion } from './hashing.ts'

declare const self: Worker

/** Of a processor that both want, deliveries get ten times as much (nice 10, sched(7)). */
const NICE = 10

// Of the calling thread alone: in Linux each has its own.
setPriority(0, NICE)
self.addEventListener('message', ({ data }: MessageEvent<HashQuestion>) => {
  self.postMessage(scryptNow(data.password, data.salt, data.cost))
})
