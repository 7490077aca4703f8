import { DurableObject } from 'cloudflare:workers'

import { openFlow } from '../../src/flow.ts'
import type { Flow } from '../../src/ports/flow.ts'
import type { Transition } from '../../src/ports/job-actors.ts'
import { jsonLog } from '../json-log.ts'
import { clock } from './clock.ts'
import { openD1 } from './d1.ts'
import type { Environment } from './environment.ts'

/** The one object through which all changes of states go: those of many jobs at the same moment meet their parents one
 * after the other, and share their commits. It keeps nothing itself; who tells it something tries again until it is stored. */
export class FlowObject extends DurableObject<Environment> {
  readonly #flow = openFlow({ database: openD1(this.env.DB), clock, log: jsonLog(console.log) })

  follow(transitions: readonly Transition[]): Promise<void> {
    return this.#flow.follow(transitions)
  }

  settle(): Promise<void> {
    return this.#flow.settle()
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
