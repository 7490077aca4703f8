import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { Answer } from '../../../api/client.ts'
import { onEvents, watchJobs } from '../../../api/events.ts'
import { useGet } from '../../../api/resource.ts'
import type { Resource } from '../../../api/resource.ts'
import type { Point, Span } from '../../../kit/charts/points.ts'
import { durationOf } from './range.ts'
import { pointsOf, withLive } from './series.ts'
import type { Sample } from './series.ts'

type Series = Answer<'/jobs/{id}/value-history'>

const LIVE_MAX = 5_000

/** The samples of a job that arrive while the page shows it, oldest first, with the time of their arrival. */
export function useLiveSamples(id: number): readonly (Sample & { readonly arrivedAt: number })[] {
  const [samples, setSamples] = useState<readonly (Sample & { readonly arrivedAt: number })[]>([])
  useEffect(() => {
    const stopWatching = watchJobs([id])
    const stopListening = onEvents(['value'], ({ data }) => {
      if (data['jobId'] !== id) return
      const arrivedAt = Date.now()
      const fresh = (data['samples'] as { key: string; timestamp: string; value: number | string }[]).map(
        ({ key, timestamp, value }) => ({ key, at: Date.parse(timestamp), value, arrivedAt }),
      )
      setSamples((before) => [...before, ...fresh].slice(-LIVE_MAX))
    })
    return () => {
      stopListening()
      stopWatching()
    }
  }, [id])
  return samples
}

/** The latest answer for a value. */
type Known = {
  readonly valueKey: string
  readonly scaleMs: number
  readonly data: Series
  readonly readAt: number
}

/** The points of a value in a span: buckets of the service, then the samples that arrived since. */
export function useHistory({
  id,
  valueKey,
  span,
  scaleMs,
  live,
}: {
  readonly id: number
  readonly valueKey: string
  readonly span: Span & { readonly isFixed: boolean }
  readonly scaleMs: number
  readonly live: ReturnType<typeof useLiveSamples>
}): {
  readonly points: readonly Point[] | undefined
  readonly resource: Resource<Series>
  readonly csv: string
} {
  // The span moves on with the clock; buckets are read again when it has moved by an eighth.
  const step = span.isFixed ? 1_000 : Math.max(scaleMs, (span.end - span.begin) / 8)
  const begin = new Date(Math.floor(span.begin / step) * step).toISOString()
  const end = span.isFixed ? { end: new Date(span.end).toISOString() } : {}
  const query = { begin, ...end, scale: durationOf(scaleMs), key: valueKey }
  const resource = useGet('/jobs/{id}/value-history', { path: { id }, query })
  const last = useRef<Known | null>(null)
  if (resource.data !== undefined)
    last.current = { valueKey, scaleMs, data: resource.data, readAt: resource.readAt ?? Date.now() }
  // The points of the span before stay until the points of the next span are there.
  const known = last.current?.valueKey === valueKey ? last.current : null
  const points = useMemo(
    () =>
      known &&
      withLive(
        pointsOf(known.data, known.scaleMs),
        live.filter(({ key, arrivedAt }) => key === valueKey && arrivedAt > known.readAt),
        known.scaleMs,
      ),
    [known?.data, live],
  )
  return {
    points: points ?? undefined,
    resource,
    csv: `/jobs/${id}/value-history?${new URLSearchParams(query)}`,
  }
}
