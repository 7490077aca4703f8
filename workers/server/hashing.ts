import type { ScryptCost, Secrets } from '../../src/ports/secrets.ts'

/** The requests of the hashing threads. */
export type HashQuestion = {
  readonly password: string
  readonly salt: Uint8Array
  readonly cost: ScryptCost
}

/** The share of a thread in a busy processor: nothing, or a little. */
export type Share = 'nothing' | 'little'

/** Starts a thread that answers by `answerHashes`. */
export type StartThread = (share: Share) => Worker

type Asker = {
  readonly question: HashQuestion
  readonly resolve: (hash: Uint8Array) => void
  readonly reject: (error: unknown) => void
  isAnswered: boolean
}

/** The shared thread computes a hash too when the idle thread takes longer. */
const PATIENCE_MS = 2_000

/** scrypt in two threads, each of which computes one hash after the other. The idle thread runs only while no other thread
 * needs the processor, so that hashes do not delay deliveries. The shared thread has a small share of the processor, so that
 * users can sign in while deliveries need all of it. In the pool of threads, digests and signatures would wait for a whole hash. */
export function openHashing(startThread: StartThread, patienceMs = PATIENCE_MS): Secrets['scrypt'] {
  const idle = new Lane(() => startThread('nothing'))
  const shared = new Lane(() => startThread('little'))
  return async (password, salt, cost) => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const asker = { question: { password, salt, cost }, resolve, reject, isAnswered: false }
    idle.ask(asker)
    const patience = setTimeout(() => shared.ask(asker), patienceMs)
    try {
      return await promise
    } finally {
      clearTimeout(patience)
      asker.isAnswered = true
    }
  }
}

/** A thread, which the first question starts, and the queue of questions. */
class Lane {
  readonly #startThread: () => Worker
  readonly #waiting: Asker[] = []
  #thread: Worker | null = null
  #asking: Asker | null = null

  constructor(startThread: () => Worker) {
    this.#startThread = startThread
  }

  ask(asker: Asker): void {
    this.#waiting.push(asker)
    this.#next()
  }

  #next(): void {
    while (this.#asking === null) {
      const asker = this.#waiting.shift()
      if (!asker) return
      if (asker.isAnswered) continue
      this.#asking = asker
      this.#thread ??= this.#start()
      this.#thread.postMessage(asker.question)
    }
  }

  #start(): Worker {
    const started = this.#startThread()
    started.addEventListener('message', ({ data }: MessageEvent<Uint8Array>) => {
      this.#asking?.resolve(data)
      this.#asking = null
      this.#next()
    })
    started.addEventListener('error', (event) => {
      this.#thread = null
      started.terminate()
      this.#asking?.reject(new Error(`The password hashing thread ended: ${event.message}`))
      this.#asking = null
      this.#next()
    })
    return started
  }
}
