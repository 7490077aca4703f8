import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { JobValues, Subscribers } from '../../src/monitoring/events/values.ts'
import type { Log } from '../../src/ports/log.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'

const UNTIL = 'watched until'

/** The readers of the values of a job, in another object: they subscribe, and renew the subscription while they read. The
 * subscription is stored, so that it outlives a sleep of this object. */
export class RemoteSubscribers implements Subscribers {
  readonly #storage: DurableObjectStorage
  readonly #events: Environment['EVENTS']
  readonly #log: Log
  #untilAt: number
  #hasMissed = false

  constructor(storage: DurableObjectStorage, events: Environment['EVENTS'], log: Log) {
    this.#storage = storage
    this.#events = events
    this.#log = log
    this.#untilAt = storage.kv.get<number>(UNTIL) ?? 0
  }

  get areThere(): boolean {
    return this.#untilAt > 0 && this.#untilAt > clock.now()
  }

  watches(): boolean {
    return true
  }

  async watch(untilAt: number): Promise<void> {
    this.#untilAt = untilAt
    this.#storage.kv.put(UNTIL, untilAt)
    await this.#storage.sync()
  }

  async tell(values: readonly JobValues[]): Promise<void> {
    const object = this.#events.get(this.#events.idFromName('events'))
    try {
      await object.tell(values, this.#hasMissed)
      this.#hasMissed = false
    } catch (error) {
      // Readers get the gap with the next values. If that object has ended, its readers have lost their streams anyway.
      this.#hasMissed = true
      this.#log.error('job: publishing received values to event streams failed', error)
    }
  }
}
