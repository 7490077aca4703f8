import { DurableObject } from 'cloudflare:workers'

import { openDispatch } from '../../src/automation/runs/service.ts'
import { schedules } from '../../src/automation/schedules/service.ts'
import { refusalIn } from '../../src/lib/errors.ts'
import type { RunnerPoll } from '../../src/ports/dispatch.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'
import { refused } from './reply.ts'
import type { Reply } from './reply.ts'

const RETRY_MS = 5_000

/** The one object that jobs of scripts are given to runners from: their polls wait in its memory. It keeps nothing itself
 * but its alarm, which wakes it when a runner was not heard of in time or something is due. */
export class DispatchObject extends DurableObject<Environment> {
  readonly #ports = portsOf(this.env, eventsInObject(this.env.EVENTS))
  readonly #dispatch = openDispatch(this.#ports, schedules)
  #armedAt: number | null = null

  async poll(poll: RunnerPoll): Promise<Reply<readonly object[]>> {
    try {
      const value = await this.#dispatch.poll(poll)
      await this.#arm()
      return { ok: true, value }
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal) return refused(refusal)
      throw error
    }
  }

  async wake(): Promise<void> {
    await this.#dispatch.wake()
    await this.#arm()
  }

  async settle(): Promise<void> {
    await this.#dispatch.settle()
    await this.#arm()
  }

  /** Something may be due. Never throws: the platform drops an alarm that failed six times. */
  override async alarm(): Promise<void> {
    this.#armedAt = null
    try {
      await this.settle()
    } catch (error) {
      this.#ports.log.error('what was due could not be carried on; it is tried again', error)
      this.#armedAt = null
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  async #arm(): Promise<void> {
    const now = clock.now()
    // The platform takes no instant of long ago, which stands for one that is not known.
    const at = Math.max(now, this.#dispatch.nextAt)
    if (at === this.#armedAt || (at === now && this.#armedAt !== null && this.#armedAt <= now)) return
    if (Number.isFinite(at)) await this.ctx.storage.setAlarm(at)
    else await this.ctx.storage.deleteAlarm()
    this.#armedAt = at
  }
}
