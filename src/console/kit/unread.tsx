import type { JSX } from 'preact'

import type { Resource } from '../api/resource.ts'
import { Show, Skeleton } from './feedback.tsx'

/** A page in place of what it would show, while that is not read or cannot be: a skeleton, or the reason. */
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
