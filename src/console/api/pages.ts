import { useEffect, useRef, useState } from 'preact/hooks'

import { jsonOf, send, urlOf } from './client.ts'
import type { Item, Route, Target } from './client.ts'
import { onGap } from './events.ts'
import { asFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import { onInvalidated } from './resource.ts'
import type { Resource } from './resource.ts'

type State<T> = {
  readonly url: string
  readonly items: readonly T[] | undefined
  readonly next: string | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  readonly readAt: number | null
}

/** A list that is read page by page. `more` reads the next page and is null after the last one. */
export type Pages<T> = Resource<readonly T[]> & { readonly more: (() => void) | null }

/** Reads the first page of a list, and again after a gap in the stream of events while the list shows this page alone; `reload`
 * and `invalidate` begin again with the first page.
 * @param everyMs how often the list is read again while it shows its first page alone; null for never */
export function usePages<R extends Route>(
  route: R,
  target: Target<R>,
  everyMs: number | null = null,
): Pages<Item<R>> {
  const url = urlOf(route, target)
  const [state, setState] = useState<State<Item<R>>>(() => begun(url))
  const shown = useRef(url)
  const [isFirst, setFirst] = useState(true)
  shown.current = url
  const read = async (page: string, before: readonly Item<R>[]): Promise<void> => {
    setState((last) => ({ ...(last.url === url ? last : begun<Item<R>>(url)), isLoading: true }))
    try {
      const answer = await send('GET', page)
      const { items } = (await jsonOf(answer)) as { items: Item<R>[] }
      if (shown.current !== url) return
      setState({
        url,
        items: [...before, ...items],
        next: nextOf(answer.headers.get('link')),
        failure: null,
        isLoading: false,
        readAt: Date.now(),
      })
    } catch (error) {
      const failure = asFailure(error)
      if (shown.current === url) setState((last) => ({ ...last, failure, isLoading: false }))
    }
  }
  const reload = (): void => {
    setFirst(true)
    void read(url, [])
  }
  useEffect(reload, [url])
  useEffect(() => onInvalidated(url, reload), [url])
  useEffect(
    () => (isFirst ? onGap((jobId) => void (jobId === null && read(url, []))) : undefined),
    [url, isFirst],
  )
  useEffect(() => {
    if (everyMs === null || !isFirst) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) void read(url, [])
    }, everyMs)
    return () => clearInterval(timer)
  }, [url, everyMs, isFirst])
  const { items, next, failure, isLoading, readAt } = state.url === url ? state : begun<Item<R>>(url)
  return {
    data: items,
    etag: undefined,
    failure,
    isLoading,
    readAt,
    reload,
    more:
      next === null || isLoading
        ? null
        : () => {
            setFirst(false)
            void read(next, items ?? [])
          },
  }
}

const begun = <T>(url: string): State<T> => ({
  url,
  items: undefined,
  next: null,
  failure: null,
  isLoading: true,
  readAt: null,
})

/** The path and query of the next page in a Link header; null on the last page. */
export function nextOf(link: string | null): string | null {
  return /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? null
}
