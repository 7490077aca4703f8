import type { Dispatch } from '../../src/ports/dispatch.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Environment } from './environment.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The dispatch of an installation, which runs in one object. */
export function dispatchInObject(namespace: Environment['DISPATCH'], log: Log): Dispatch {
  const object = () => namespace.get(namespace.idFromName('dispatch'))
  return {
    // A runner that has left is detected by the run that it does not accept.
    poll: async (poll) => valueOf((await object().poll(poll)) as Reply<readonly object[]>),
    async wake() {
      try {
        await object().wake()
      } catch (error) {
        log.error('dispatch: wake-up failed; runs wait for the next poll', error)
      }
    },
    runDue: async () => {
      await object().settle()
    },
  }
}
