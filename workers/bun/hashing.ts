import type { ScryptCost } from '../../src/ports/secrets.ts'

/** What the thread of hashes is asked for. */
export type HashQuestion = {
  readonly password: string
  readonly salt: Uint8Array
  readonly cost: ScryptCost
}

type Asker = { readonly resolve: (hash: Uint8Array) => void; readonly reject: (error: unknown) => void }

let thread: Worker | null = null
const askers: Asker[] = []

/** scrypt in a thread of its own, one hash after the other, which gives way to deliveries where there are not processors
 * enough for both. In the pool of threads, digests and signatures would wait for a whole hash. */
export function scryptInThread(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
  thread ??= startThread()
  const question: HashQuestion = { password, salt, cost }
  thread.postMessage(question)
  return new Promise((resolve, reject) => {
    askers.push({ resolve, reject })
  })
}

function startThread(): Worker {
  const started = new Worker(new URL('./hashing-thread.ts', import.meta.url))
  // It is not what keeps a process alive.
  started.unref()
  started.addEventListener('message', ({ data }: MessageEvent<Uint8Array>) => askers.shift()?.resolve(data))
  started.addEventListener('error', (event) => {
    thread = null
    started.terminate()
    for (const { reject } of askers.splice(0))
      reject(new Error(`The thread of hashes has died: ${event.message}`))
  })
  return started
}
