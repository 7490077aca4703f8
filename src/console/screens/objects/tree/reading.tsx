import { useEffect } from 'preact/hooks'

import { onEvents } from '../../../api/events.ts'
import { invalidate, useGet } from '../../../api/resource.ts'
import type { Resource } from '../../../api/resource.ts'
import { toastFailure } from '../../../kit/toasts.ts'
import { t } from '../../../language/t.ts'
import { keepBranch, ROOT_ID } from './branches.ts'
import type { Node } from './branches.ts'
import { stoppedFilter } from './filter.ts'

const TREE = '/root/tree/{parentType}/{parentId}/tree'
const FIELDS = 'name,subType,state,worstChild,counts,hasChildren,permissions,children'
/** After events the open branches are read again; this bounds their reads to 20 a second. */
const READ_PACE_MS = 50
const PACE_MIN_MS = 1_000

/** An object with its children. */
export function useBranch(type: string, id: number): Resource<Node> {
  return useGet(TREE, {
    path: { parentType: type as 'group', parentId: id },
    query: { depth: '1', fields: FIELDS },
  })
}

/** Reads an open branch for as long as it is shown. Draws nothing. */
export function Branch({
  type,
  id,
  name,
  onFailure,
}: {
  readonly type: string
  readonly id: number
  readonly name: string
  readonly onFailure: () => void
}): null {
  const { data, failure } = useBranch(type, id)
  useEffect(() => {
    if (data) keepBranch(data)
  }, [data])
  useEffect(() => {
    if (failure) onFailure()
    if (failure && id !== ROOT_ID) toastFailure(failure, t('objects.branchFailed', { name }))
  }, [failure])
  return null
}

/** Reads the open branches again after changes of states: the more there are, the less often. */
export function useFreshBranches(count: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const stop = onEvents(['state'], () => {
      timer ??= setTimeout(
        () => {
          timer = null
          invalidate('/root/tree/')
        },
        Math.max(PACE_MIN_MS, count * READ_PACE_MS),
      )
    })
    return () => {
      stop()
      if (timer !== null) clearTimeout(timer)
    }
  }, [count])
}

/** The ids of all stopped jobs: a node of the tree does not have this. */
export function useStoppedJobs(): ReadonlySet<number> {
  const { data } = useGet(
    '/groups/{id}/search',
    { path: { id: ROOT_ID }, query: { filterDefinition: stoppedFilter } },
    ['state'],
  )
  return new Set(data?.items.map(({ id }) => id))
}
