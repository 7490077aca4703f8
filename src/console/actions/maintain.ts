import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { toast } from '../kit/toasts.tsx'
import { t } from '../language/t.ts'

export type ObjectType = 'group' | 'device' | 'job' | 'slo' | 'slc'
type Place = { readonly type: ObjectType; readonly id: number; readonly name: string }
const MINUTE_MS = 60_000

/** Puts an object into maintenance from now on; can be undone for ten seconds.
 * @throws {Failure} */
export async function maintainNow({ type, id, name }: Place, minutes: number): Promise<void> {
  const begin = new Date()
  const end = new Date(begin.getTime() + minutes * MINUTE_MS)
  const planned = await call('post', `/${type}s/{id}/revaluations`, {
    path: { id },
    body: {
      begin: begin.toISOString(),
      end: end.toISOString(),
      type: 'maintenance',
      name: t('maintain.name', { minutes }),
    } as never,
  })
  invalidate('/alarms', `/${type}s/${id}`)
  toast({
    text: t('maintain.begun', { name, minutes }),
    async undo() {
      await call('delete', `/${type}s/{id}/revaluations/{revaluationId}`, {
        path: { id, revaluationId: planned.id },
      })
      invalidate('/alarms', `/${type}s/${id}`)
    },
  })
}
