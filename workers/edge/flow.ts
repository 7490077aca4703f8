import type { StatePipeline } from '../../src/ports/flow.ts'
import type { Environment } from './environment.ts'

/** The flow of an installation, which runs in one object. */
export function flowInObject(namespace: Environment['FLOW']): StatePipeline {
  const object = () => namespace.get(namespace.idFromName('flow'))
  return {
    apply: async (transitions) => {
      await object().follow([...transitions])
    },
    runDue: async () => {
      await object().settle()
    },
    sweep: async (afterId) => object().sweep(afterId),
  }
}
