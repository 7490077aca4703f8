import { DurableObject } from 'cloudflare:workers'

import { openFlow } from '../../src/flow.ts'
import { openPost } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Transition } from '../../src/ports/job-actors.ts'
import { clock } from './clock.ts'
import { DueAlarm } from './due-alarm.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'

/** The one object through which all changes of states go: those of many jobs at the same moment meet their parents one
 * after the other, and share their commits. From it notifications go out, too. It keeps nothing itself but its alarm,
 * which wakes it when time changes a state or something is to be sent; who tells it something tries again until it is
 * stored. */
export class FlowObject extends DurableObject<Environment> {
  readonly #ports = portsOf(this.env, eventsInObject(this.env.EVENTS))
  readonly #post = openPost(this.#ports)
  readonly #flow = openFlow(this.#ports, () => this.#post.wake())
  readonly #due = new DueAlarm(this.ctx.storage, () => this.#nextAt(), this.#ports.log)
  #sending: Promise<void> | null = null

  async follow(transitions: readonly Transition[]): Promise<void> {
    await this.#flow.follow(transitions)
    await this.#due.arm()
  }

  async settle(): Promise<void> {
    await this.#flow.settle()
    await this.#due.arm()
  }

  override async alarm(): Promise<void> {
    this.#due.wentOff()
    const now = clock.now()
    // Receivers take their time: nothing else waits for them.
    if (this.#post.nextAt <= now && !this.#sending) {
      this.#sending = this.#send()
      this.ctx.waitUntil(this.#sending)
    }
    await this.#due.carryOn(async () => {
      if (this.#flow.nextAt <= now) await this.#flow.settle()
    })
  }

  /** Resolved when nothing is being sent. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    await this.#due.carryOn(async () => {
      try {
        await this.#post.settle()
      } finally {
        this.#sending = null
      }
    })
  }

  /** While something is being sent, what is to be sent next is not known. */
  #nextAt(): number {
    return Math.min(this.#flow.nextAt, this.#sending ? Infinity : this.#post.nextAt)
  }

  sweep(afterId: number): Promise<number | null> {
    return this.#flow.sweep(afterId)
  }
}
