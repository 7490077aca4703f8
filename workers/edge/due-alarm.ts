import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { Log } from '../../src/ports/log.ts'
import { clock } from './clock.ts'

const RETRY_MS = 5_000

/** The alarm of an object that is woken when work is due, and again after due work has failed. */
export class DueAlarm {
  readonly #storage: DurableObjectStorage
  readonly #nextAt: () => number
  readonly #log: Log
  #armedAt: number | null = null

  /** @param nextAt when work is due next, epoch ms; Infinity without any, 0 where that is unknown */
  constructor(storage: DurableObjectStorage, nextAt: () => number, log: Log) {
    this.#storage = storage
    this.#nextAt = nextAt
    this.#log = log
  }

  /** Notes that the alarm went off, so that no alarm is set. */
  wentOff(): void {
    this.#armedAt = null
  }

  /** Does the due work. Never throws: the platform drops an alarm that failed six times. */
  async carryOn(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      await this.arm()
    } catch (error) {
      this.#log.error('object: its due work failed; retrying', error)
      this.#armedAt = null
      await this.#storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  /** Sets the alarm for the next due work, unless it is set already. */
  async arm(): Promise<void> {
    const now = clock.now()
    // An unknown instant is 0, which the platform does not accept.
    const at = Math.max(now, this.#nextAt())
    if (at === this.#armedAt || (at === now && this.#armedAt !== null && this.#armedAt <= now)) return
    if (Number.isFinite(at)) await this.#storage.setAlarm(at)
    else await this.#storage.deleteAlarm()
    this.#armedAt = at
  }
}
