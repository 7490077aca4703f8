import { DurableObject } from 'cloudflare:workers'

import { openStatePipeline } from '../../src/state-pipeline.ts'
import { openNotifier } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Transition } from '../../src/domain/transition.ts'
import { clock } from './clock.ts'
import { DueAlarm } from './due-alarm.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'

/** The one object of all changes of states: simultaneous changes of many jobs reach their parents one after the other, and share
 * their commits. The object also sends notifications. It stores only its alarm, which wakes it when time changes a state or a
 * message is due; callers repeat a call until its content is stored. */
export class FlowObject extends DurableObject<Environment> {
  readonly #ports = portsOf(this.env, eventsInObject(this.env.EVENTS))
  readonly #notifier = openNotifier(this.#ports, () => this.ctx.waitUntil(this.#due.carryOn(async () => {})))
  readonly #flow = openStatePipeline(this.#ports, () => this.#notifier.wake())
  readonly #due = new DueAlarm(this.ctx.storage, () => this.#nextAt(), this.#ports.log)

  async follow(transitions: readonly Transition[]): Promise<void> {
    await this.#flow.apply(transitions)
    await this.#due.arm()
  }

  async settle(): Promise<void> {
    await this.#flow.runDue()
    await this.#due.arm()
  }

  override async alarm(): Promise<void> {
    this.#due.wentOff()
    const now = clock.now()
    const due = [this.#flow, this.#notifier].filter(({ nextAt }) => nextAt <= now)
    await this.#due.carryOn(async () => {
      await Promise.all(due.map((one) => one.runDue()))
    })
    // Receivers take their time: nothing else waits for them.
    this.ctx.waitUntil(this.#notifier.sent())
  }

  /** Resolved when nothing is being sent. */
  sent(): Promise<void> {
    return this.#notifier.sent()
  }

  #nextAt(): number {
    return Math.min(this.#flow.nextAt, this.#notifier.nextAt)
  }

  sweep(afterId: number): Promise<number | null> {
    return this.#flow.sweep(afterId)
  }
}
