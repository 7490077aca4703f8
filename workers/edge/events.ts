import type { Events } from '../../src/ports/events.ts'
import { jsonLog } from '../json-log.ts'
import type { Environment } from './environment.ts'

const log = jsonLog(console.log)

/** The events of an installation, whose hub runs in one object. */
export function eventsInObject(namespace: Environment['EVENTS']): Events {
  const object = () => namespace.get(namespace.idFromName('events'))
  let telling: Promise<void> | null = null
  let isMore = false
  const tellAll = async () => {
    while (isMore) {
      isMore = false
      // The hub finds missed events with its next beat.
      await object()
        .committed()
        .catch((error: unknown) =>
          log.error('event hub: notification failed; event streams wait for the next heartbeat', error),
        )
    }
    telling = null
  }
  return {
    async open({ request }) {
      const answer: unknown = await object().fetch(request.url, {
        method: request.method,
        headers: [...request.headers],
      })
      const { body, status, headers } = answer as Response
      // A copy, whose header fields can be set.
      return new Response(body, { status, headers })
    },
    // A commit does not wait for readers.
    committed() {
      isMore = true
      telling ??= tellAll()
      return Promise.resolve()
    },
    publish: async (passing) => {
      await object().publish(passing)
    },
  }
}
