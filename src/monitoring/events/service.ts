import { readableTops, readsScripts } from '../../access/rights/permissions.ts'
import { rightsOf } from '../../access/rights/service.ts'
import { requireUser } from '../../context.ts'
import type { Context } from '../../context.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import type { Visibility } from '../../ports/events.ts'
import { readTypes } from '../tree/service.ts'
import type { EventsQuery } from './schema.ts'

export { BEAT_MS, Hub } from './service/hub.ts'
export type { HubHost } from './service/hub.ts'

/** A request for a stream. */
export type EventsRequest = {
  readonly request: Request
  readonly query: EventsQuery
  /** Authenticates the same credentials again. @throws {Refusal} unauthenticated, forbidden once they are no longer
   * valid */
  readonly again: () => Promise<Context>
}

/** A stream of events of the objects that the caller may read at the time of each event.
 * @throws {Refusal} not_found for objects and jobs that the caller may not read, overloaded */
export async function readEvents(
  context: Context,
  { request, query, again }: EventsRequest,
): Promise<Response> {
  const { userId } = requireUser(context)
  await requireReadable(context, query)
  return context.ports.events.open({
    request,
    userId,
    wanted: {
      kinds: new Set(query.kind),
      objectIds: query.objectId ? new Set(query.objectId) : null,
      jobIds: new Set(query.jobId),
    },
    lastEventId: request.headers.get('last-event-id'),
    // A HEAD request reads no body.
    once: query.once || request.method === 'HEAD',
    look: () => sightOf(again),
  })
}

async function requireReadable(context: Context, { objectId = [], jobId }: EventsQuery): Promise<void> {
  if (objectId.length + jobId.length === 0) return
  const types = await readTypes(context, [...objectId, ...jobId])
  const missing = [
    ...missingAt('?objectId', objectId, 'an object', (id) => types.has(id)),
    ...missingAt('?jobId', jobId, 'a webhook job', (id) => types.get(id) === 'job'),
  ]
  if (missing.length > 0) throw noSuch('object, or no such webhook job', missing)
}

function missingAt(
  pointer: string,
  ids: readonly number[],
  noun: string,
  isKnown: (id: number) => boolean,
): Fault[] {
  return ids.flatMap((id, index) =>
    isKnown(id)
      ? []
      : {
          pointer: ids.length === 1 ? pointer : `${pointer}/${index}`,
          message: `must be the id of ${noun} that you can read`,
        },
  )
}

/** The objects that the reader may see now; null once the credentials are no longer valid. */
async function sightOf(again: () => Promise<Context>): Promise<Visibility | null> {
  try {
    const context = await again()
    const rights = await rightsOf(context)
    const tops = readableTops(rights)
    const readable = new Set(tops)
    return {
      sees: (above) => tops === null || above.some((id) => readable.has(id)),
      seesScripts: context.caller.kind === 'user' && readsScripts(context.caller.role),
      rights: JSON.stringify([rights.role, [...rights.granted].sort(([one], [other]) => one - other)]),
    }
  } catch (error) {
    const isOver =
      error instanceof Refusal && (error.code === 'unauthenticated' || error.code === 'forbidden')
    if (isOver) return null
    throw error
  }
}
