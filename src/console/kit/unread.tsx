import type { JSX } from 'preact'

import type { Resource } from '../api/resource.ts'
import { Show, Skeleton } from './feedback.tsx'

/** A page without its resource: a skeleton while it is read, or the reason of a failure. */
export function Unread<T>({
  resource,
  what,
}: {
  readonly resource: Resource<T>
  /** As in `Show`. */
  readonly what: string
}): JSX.Element {
  return (
    <div class="body">
      <Show resource={resource} what={what} isPage skeleton={<Skeleton lines={12} />}>
        {() => null}
      </Show>
    </div>
  )
}
