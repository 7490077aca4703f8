import { DurableObject } from 'cloudflare:workers'

import { openFlow } from '../../src/flow.ts'
import type { Flow } from '../../src/ports/flow.ts'
import type { Transition } from '../../src/ports/job-actors.ts'
import { jsonLog } from '../json-log.ts'
import { clock } from './clock.ts'
import { openD1 } from './d1.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'

const RETRY_MS = 5_000

const log = jsonLog(console.log)

/** The one object through which all changes of states go: those of many jobs at the same moment meet their parents one
 * after the other, and share their commits. It keeps nothing itself but its alarm, which wakes it when time changes a
 * state; who tells it something tries again until it is stored. */
export class FlowObject extends DurableObject<Environment> {
  readonly #flow = openFlow({
    database: openD1(this.env.DB),
    clock,
    log,
    events: eventsInObject(this.env.EVENTS),
  })
  #armedAt: number | null = null

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
    try {
      await this.settle()
    } catch (error) {
      log.error('what was due could not be carried on; it is tried again', error)
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }

  async #arm(): Promise<void> {
    const at = this.#flow.nextAt
    if (at === this.#armedAt) return
    if (Number.isFinite(at)) await this.ctx.storage.setAlarm(at)
    else await this.ctx.storage.deleteAlarm()
    this.#armedAt = at
  }

  sweep(afterId: number): Promise<number | null> {
    return this.#flow.sweep(afterId)
  }
}

/** The flow of an installation, from wherever its Worker or one of its objects runs. */
export function flowInObject(namespace: Environment['FLOW']): Flow {
  const object = () => namespace.get(namespace.idFromName('flow'))
  return {
    follow: async (transitions) => {
      await object().follow([...transitions])
    },
    settle: async () => {
      await object().settle()
    },
    sweep: async (afterId) => object().sweep(afterId),
  }
}
