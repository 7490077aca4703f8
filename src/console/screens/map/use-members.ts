import { useEffect, useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { followRead } from '../../api/operations.ts'
import type { Body } from './source.ts'

type Leaves = Exclude<Answer<'/gis/cluster/{cluster}/leaves'>, Answer<'/operations/{id}'>>
export type Member = Leaves['features'][number]

const PAGE = 100

export type Members = {
  readonly items: readonly Member[]
  readonly failure: Failure | null
  readonly isLoading: boolean
  /** Reads the next 100; null when there are no more. */
  readonly more: (() => void) | null
}

/** Reads the rows of a cluster, by the request that made it. */
export function useMembers(cluster: string, asked: Body): Members {
  const [offset, setOffset] = useState(0)
  const [read, setRead] = useState<Omit<Members, 'more'> & { readonly truncated: boolean }>({
    items: [],
    failure: null,
    isLoading: true,
    truncated: false,
  })
  useEffect(() => {
    const abort = new AbortController()
    setRead((now) => ({ ...now, isLoading: true }))
    leavesOf(cluster, asked, { offset, signal: abort.signal }).then(
      ({ features, truncated }) =>
        setRead(({ items }) => ({
          items: [...items, ...features],
          failure: null,
          isLoading: false,
          truncated,
        })),
      (error: unknown) => {
        if (!abort.signal.aborted)
          setRead((now) => ({ ...now, failure: asFailure(error), isLoading: false, truncated: false }))
      },
    )
    return () => abort.abort()
  }, [offset])
  const { truncated, ...members } = read
  return { ...members, more: truncated ? () => setOffset(members.items.length) : null }
}

function leavesOf(
  cluster: string,
  { points, bbox, zoom }: Body,
  { offset, signal }: { readonly offset: number; readonly signal: AbortSignal },
): Promise<Leaves> {
  const { lat, lon } = points
  const query = { lat, lon, bbox: (bbox ?? []).join(','), zoom: zoom ?? 0, limit: PAGE, offset }
  const following = { signal, wait: 'PT10S' }
  if ('queryId' in points)
    return followRead(
      '/dataQueries/{id}/cluster/{cluster}/leaves',
      { path: { id: points.queryId, cluster }, query },
      following,
    )
  const { dataSourceId, table } = points
  return followRead(
    '/gis/cluster/{cluster}/leaves',
    { path: { cluster }, query: { ...query, dataSourceId, table } },
    following,
  )
}
