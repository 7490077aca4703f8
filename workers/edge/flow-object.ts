import { DurableObject } from 'cloudflare:workers'

import { openFlow } from '../../src/flow.ts'
import { openPost } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Transition } from '../../src/ports/job-actors.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'

const RETRY_MS = 5_000

/** The one object through which all changes of states go: those of many jobs at the same moment meet their parents one
 * after the other, and share their commits. From it notifications go out, too. It keeps nothing itself but its alarm,
 * which wakes it when time changes a state or something is to be sent; who tells it something tries again until it is
 * stored. */
export class FlowObject extends DurableObject<Environment> {
  readonly #ports = portsOf(this.env, eventsInObject(this.env.EVENTS))
  readonly #post = openPost(this.#ports)
  readonly #flow = openFlow(this.#ports, () => this.#post.wake())
  #armedAt: number | null = null
  #sending: Promise<void> | null = null

  async follow(transitions: readonly Transition[]): Promise<void> {
    await this.#flow.follow(transitions)
    await this.#arm()
  }

  async settle(): Promise<void> {
    await this.#flow.settle()
    await this.#arm()
  }

  /** Something may be due. Never throws: the platform drops an alarm that failed six times. */
  override async alarm(): Promise<void> {
    this.#armedAt = null
    const now = clock.now()
    // Receivers take their time: nothing else waits for them.
    if (this.#post.nextAt <= now && !this.#sending) {
      this.#sending = this.#send()
      this.ctx.waitUntil(this.#sending)
    }
    await this.#carryOn(async () => {
      if (this.#flow.nextAt <= now) await this.#flow.settle()
    })
  }

  /** Resolved when nothing is being sent. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    await this.#carryOn(async () => {
      try {
        await this.#post.settle()
      } finally {
        this.#sending = null
      }
    })
  }

  async #carryOn(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      await this.#arm()
    } catch (error) {
      this.#ports.log.error('what was due could not be carried on; it is tried again', error)
      this.#armedAt = null
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  async #arm(): Promise<void> {
    const now = clock.now()
    // The platform takes no instant of long ago, which stands for one that is not known.
    const at = Math.max(now, Math.min(this.#flow.nextAt, this.#sending ? Infinity : this.#post.nextAt))
    if (at === this.#armedAt || (at === now && this.#armedAt !== null && this.#armedAt <= now)) return
    if (Number.isFinite(at)) await this.ctx.storage.setAlarm(at)
    else await this.ctx.storage.deleteAlarm()
    this.#armedAt = at
  }

  sweep(afterId: number): Promise<number | null> {
    return this.#flow.sweep(afterId)
  }
}
