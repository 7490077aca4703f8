import { call } from '../api/client.ts'
import type { Answer } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { Failure } from '../api/failure.ts'
import { toast, undoable } from '../kit/toasts.ts'
import { t } from '../language/t.ts'

type Stoppable = { readonly id: number; readonly name: string }
type Result = Answer<'/jobs/actions', 'post'>['items'][number]
/** The jobs of one call, as the API bounds them. */
const AT_ONCE = 1_000

/** Stops or starts jobs; can be undone for ten seconds. A refused job does not hinder the others.
 * @throws {Failure} the first refusal, when all jobs are refused */
export function setStopped(jobs: readonly Stoppable[], stopped: boolean): Promise<void> {
  return undoable(setStoppedNow(jobs, stopped))
}

async function setStoppedNow(jobs: readonly Stoppable[], stopped: boolean): Promise<void> {
  const results: Result[] = []
  for (let from = 0; from < jobs.length; from += AT_ONCE) {
    const ids = jobs.slice(from, from + AT_ONCE).map(({ id }) => id)
    const { items } = await call('post', '/jobs/actions', {
      body: { action: stopped ? 'stop' : 'start', ids },
    })
    results.push(...items)
  }
  invalidate('/jobs/', '/root/tree/', '/groups/', '/devices/')
  const refused = results.filter(({ status }) => status === 'refused')
  const refusedIds = new Set(refused.map(({ id }) => id))
  const done = jobs.filter(({ id }) => !refusedIds.has(id))
  const [first] = refused
  if (first && done.length === 0)
    throw new Failure({ status: 403, code: first.code ?? '', detail: first.detail ?? '' })
  const said = t(stopped ? 'stop.stopped' : 'stop.started', { count: done.length, name: done[0]?.name ?? '' })
  toast({
    text: first
      ? `${said} ${t('stop.refused', { count: refused.length, reason: first.detail ?? '' })}`
      : said,
    isFailure: first !== undefined,
    undo: () => setStopped(done, !stopped),
  })
}
