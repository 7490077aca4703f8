import type { Ledger } from './ledger.ts'
import type { Session } from './session.ts'

export type SendersOptions = {
  readonly session: Session
  /** Says what is sent next. */
  readonly ledger: Pick<Ledger, 'send' | 'acknowledge'>
  readonly url: string
  readonly jobIds: readonly number[]
  readonly count: number
  /** A pause between two deliveries of one sender. */
  readonly pauseMs?: number
}

/** Clients that deliver one value after the other, each waiting for its answer, until they are stopped or refused. */
export class Senders {
  readonly #options: SendersOptions
  readonly #running: Promise<unknown>
  /** Answers by status. */
  readonly answers = new Map<number, number>()
  /** Deliveries whose connection broke before an answer. */
  broken = 0
  #isStopped = false

  constructor(options: SendersOptions) {
    this.#options = options
    this.#running = Promise.all(Array.from({ length: options.count }, (_, sender) => this.#send(sender)))
  }

  /** Resolves once every sender has its last answer, or knows that it gets none. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #send(sender: number): Promise<void> {
    const { session, ledger, url, jobIds, pauseMs = 0 } = this.#options
    for (let turn = sender; !this.#isStopped; turn++) {
      const jobId = jobIds[turn % jobIds.length] ?? 0
      const value = ledger.send(jobId, sender)
      try {
        const answer = await session.deliver(url, jobId, { returnValue1: value, errorCode: 0 })
        if (answer.status === 200) ledger.acknowledge(jobId, value)
        this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1)
        await answer.arrayBuffer()
      } catch {
        this.broken++
        return
      }
      if (pauseMs > 0) await Bun.sleep(pauseMs)
    }
  }
}
