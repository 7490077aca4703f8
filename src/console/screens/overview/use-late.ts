import { useEffect, useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { useGet, useGets } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { useLive } from '../../kit/use-live.ts'

const ROUTE = '/{parentType}/{parentId}/late-jobs'

export type LateJobs = Answer<typeof ROUTE>

/** Reads jobs of the whole tree that wait longer than usual, at most `limit`: the first page that has some, because one call examines
 * a limited number of jobs. Pages behind the first are read again every few seconds instead of after each event. */
export function useLate(limit: number): Resource<LateJobs> {
  const first = useGet(ROUTE, pageAt(limit, undefined), ['state'])
  const [known, setKnown] = useState('')
  const cursors = known === '' ? [] : known.split(' ')
  const later = useGets(
    ROUTE,
    cursors.map((cursor) => pageAt(limit, cursor)),
  )
  useLive(() => later.forEach(({ reload }) => reload()), later.length > 0)
  const pages = [first, ...later]
  const end = pages.findIndex(({ data }) => nextOf(data) === null)
  const passed = end === -1 ? pages : pages.slice(0, end)
  const next = passed.map(({ data }) => nextOf(data)).join(' ')
  useEffect(() => setKnown(next), [next])
  const shown = pages[end]
  return shown ?? { ...first, data: undefined, isLoading: true }
}

const pageAt = (limit: number, cursor: string | undefined) => ({
  path: { parentType: 'group', parentId: 1 } as const,
  query: { limit, ...(cursor !== undefined && { cursor }) },
})

/** The cursor behind a page without jobs; null for a page with jobs, for the last one, and for one that is not read yet. */
function nextOf(page: LateJobs | undefined): string | null {
  return page === undefined || page.items.length > 0 ? null : page.nextCursor
}
