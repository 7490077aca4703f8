import type { Visibility, EventFilter } from '../../ports/events.ts'
import type { PublishedEvent } from './window.ts'

/** Whether a reader wants an event and may see it. */
export function concerns(
  event: Pick<PublishedEvent, 'kind' | 'above' | 'jobId'>,
  wanted: EventFilter,
  sight: Visibility,
): boolean {
  const { kind, above, jobId } = event
  const isOfJob = jobId !== null && wanted.jobIds.has(jobId)
  if (kind === 'gap') return jobId === null || isOfJob
  if (kind === 'mark' || !wanted.kinds.has(kind)) return false
  // Scripts are not in the tree.
  if (kind === 'script') return wanted.objectIds === null && sight.seesScripts
  return (kind === 'value' ? isOfJob : isBelow(above, wanted.objectIds)) && sight.sees(above)
}

function isBelow(above: readonly number[], objectIds: ReadonlySet<number> | null): boolean {
  return objectIds === null || above.some((id) => objectIds.has(id))
}
