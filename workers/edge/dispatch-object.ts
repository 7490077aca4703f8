import { DurableObject } from 'cloudflare:workers'

import { openDispatch } from '../../src/automation/runs/service.ts'
import { dueWork } from '../../src/analytics/forecasts/service/due.ts'
import type { RunnerPoll } from '../../src/ports/dispatch.ts'
import { DueAlarm } from './due-alarm.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'
import { replyOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The one object that assigns runs to runners, whose polls wait in its memory. It stores only its alarm, which wakes it when a
 * lease ends or work is due. */
export class DispatchObject extends DurableObject<Environment> {
  readonly #ports = portsOf(this.env, eventsInObject(this.env.EVENTS))
  readonly #dispatch = openDispatch(this.#ports, dueWork)
  readonly #due = new DueAlarm(this.ctx.storage, () => this.#dispatch.nextAt, this.#ports.log)

  poll(poll: RunnerPoll): Promise<Reply<readonly object[]>> {
    return replyOf(async () => {
      const assignments = await this.#dispatch.poll(poll)
      await this.#due.arm()
      return assignments
    })
  }

  async wake(): Promise<void> {
    await this.#dispatch.wake()
    await this.#due.arm()
  }

  async settle(): Promise<void> {
    await this.#dispatch.runDue()
    await this.#due.arm()
  }

  override async alarm(): Promise<void> {
    this.#due.wentOff()
    await this.#due.carryOn(() => this.#dispatch.runDue())
  }
}
