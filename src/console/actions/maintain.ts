import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { toast, undoable } from '../kit/toasts.ts'
import { t } from '../language/t.ts'

export type ObjectType = 'group' | 'device' | 'job' | 'slo' | 'slc'
type Place = { readonly type: ObjectType; readonly id: number; readonly name: string }
const MINUTE_MS = 60_000

/** Puts an object into maintenance from now on; can be undone for ten seconds.
 * @throws {Failure} */
export function maintainNow(place: Place, minutes: number): Promise<void> {
  return maintainAll([place], minutes)
}

/** Puts several objects into maintenance from now on; can be undone for ten seconds.
 * @throws {Failure} the first refusal, after all objects were tried */
export function maintainAll(places: readonly Place[], minutes: number): Promise<void> {
  return undoable(maintainAllNow(places, minutes))
}

async function maintainAllNow(places: readonly Place[], minutes: number): Promise<void> {
  const begin = new Date()
  const end = new Date(begin.getTime() + minutes * MINUTE_MS)
  const tried = await Promise.allSettled(places.map((place) => plan(place, { begin, end, minutes })))
  const cancels = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  invalidate('/alarms', '/root/tree/', ...places.map(({ type, id }) => `/${type}s/${id}`))
  const refused = tried.find((one) => one.status === 'rejected')
  if (refused && cancels.length === 0) throw refused.reason
  toast({
    text: t('maintain.begun', { count: cancels.length, name: places[0]?.name ?? '', minutes }),
    async undo() {
      await Promise.all(cancels.map((cancel) => cancel()))
      invalidate('/alarms', '/root/tree/', ...places.map(({ type, id }) => `/${type}s/${id}`))
    },
  })
  if (refused) throw refused.reason
}

type Span = { readonly begin: Date; readonly end: Date; readonly minutes: number }

/** @returns the function that cancels the maintenance */
async function plan({ type, id }: Place, { begin, end, minutes }: Span): Promise<() => Promise<unknown>> {
  const planned = await call('post', `/${type}s/{id}/revaluations`, {
    path: { id },
    body: {
      begin: begin.toISOString(),
      end: end.toISOString(),
      type: 'maintenance',
      name: t('maintain.name', { minutes }),
    } as never,
  })
  const path = { id, revaluationId: planned.id }
  return () => call('delete', `/${type}s/{id}/revaluations/{revaluationId}`, { path })
}
