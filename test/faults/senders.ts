import type { Ledger } from './ledger.ts'
import type { Session } from './session.ts'

export type SendersOptions = {
  readonly session: Session
  /** Says what is sent next. */
  readonly ledger: Pick<Ledger, 'send' | 'acknowledge'>
  readonly url: string
  readonly jobIds: readonly number[]
  readonly count: number
  /** One value for each of the jobs at a time, instead of one for one of them. */
  readonly inRounds?: boolean
  /** A pause between two deliveries of one sender. */
  readonly pauseMs?: number
}

/** Clients that deliver one value, or one round, after the other, each waiting for its answer, until they are stopped or
 * refused. */
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
    const { jobIds, inRounds = false, pauseMs = 0 } = this.#options
    for (let turn = sender; !this.#isStopped; turn++) {
      try {
        const answer = inRounds
          ? await this.#sendRound(sender)
          : await this.#sendValue(sender, jobIds[turn % jobIds.length] ?? 0)
        this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1)
      } catch {
        this.broken++
        return
      }
      if (pauseMs > 0) await Bun.sleep(pauseMs)
    }
  }

  async #sendValue(sender: number, jobId: number): Promise<Response> {
    const { session, ledger, url } = this.#options
    const value = ledger.send(jobId, sender)
    const answer = await session.deliver(url, jobId, { returnValue1: value, errorCode: 0 })
    if (answer.status === 200) ledger.acknowledge(jobId, value)
    await answer.arrayBuffer()
    return answer
  }

  async #sendRound(sender: number): Promise<Response> {
    const { session, ledger, url, jobIds } = this.#options
    const values = jobIds.map((jobId) => ledger.send(jobId, sender))
    const rounds = [{ key: 'returnValue1', jobIds, values }]
    const answer = await session.send(url, '/webcollector/values', { rounds })
    const told = (await answer.json()) as { rounds?: readonly { accepted?: number }[] }
    if (told.rounds?.[0]?.accepted === jobIds.length)
      for (const [index, jobId] of jobIds.entries()) ledger.acknowledge(jobId, values[index] ?? 0)
    return answer
  }
}
