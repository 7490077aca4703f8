import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { toast } from '../kit/toasts.tsx'
import { t } from '../language/t.ts'

type Stoppable = { readonly id: number; readonly name: string }
const AT_ONCE = 4

/** Stops or starts jobs; can be undone for ten seconds. A refused job does not hinder the others.
 * @throws {Failure} the first refusal, when all jobs are refused */
export async function setStopped(jobs: readonly Stoppable[], stopped: boolean): Promise<void> {
  const done: Stoppable[] = []
  const refused: Failure[] = []
  const waiting = [...jobs]
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift())
      try {
        await call('patch', '/jobs/{id}', { path: { id: job.id }, body: { stopped } })
        done.push(job)
      } catch (error) {
        refused.push(asFailure(error))
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  invalidate('/jobs/', '/root/tree/', '/groups/', '/devices/')
  const [first] = refused
  if (first && done.length === 0) throw first
  const values = { count: done.length, name: done[0]?.name ?? '' }
  const said = t(stopped ? 'stop.stopped' : 'stop.started', values)
  toast({
    text: first ? `${said} ${t('stop.refused', { count: refused.length, reason: first.message })}` : said,
    isFailure: first !== undefined,
    undo: () => setStopped(done, !stopped),
  })
}
