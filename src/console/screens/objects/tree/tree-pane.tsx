import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { Empty, Show, Skeleton } from '../../../kit/feedback.tsx'
import { objectLink } from '../../../kit/location.ts'
import { t } from '../../../language/t.ts'
import type { Place } from '../trail.ts'
import { branches, openIds, ROOT_ID, rowsOf, setOpen } from './branches.ts'
import type { Node } from './branches.ts'
import { Branch, useBranch, useFreshBranches, useStoppedJobs } from './reading.tsx'
import { tally } from './roll.tsx'
import { nameOf } from './row.tsx'
import { TreeView } from './tree-view.tsx'

type Props = {
  readonly current: { readonly type: Place['type']; readonly id: number }
  /** The objects above the current one, which are opened. */
  readonly above: readonly Place[]
}

/** The tree of all objects beside the page of one. */
export function TreePane({ current, above }: Props): JSX.Element {
  const { route } = useLocation()
  const [activeId, setActiveId] = useState(current.id)
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set())
  const root = useBranch('group', ROOT_ID)
  const stopped = useStoppedJobs()
  const rows = rowsOf(branches.value, openIds.value)
  const shownBranches = rows.filter(({ isOpen }) => isOpen)
  useFreshBranches(shownBranches.length)
  useEffect(() => setActiveId(current.id), [current.id])
  useEffect(() => {
    if (above.length > 0)
      setOpen(
        above.map(({ id }) => id),
        true,
      )
  }, [above])
  const linkOf = ({ type, id }: Node): string => objectLink(type, id) + location.search
  return (
    <aside class="pane" aria-label={t('objects.title')}>
      <h1 class="narrow">{t('objects.title')}</h1>
      <Branch type="group" id={ROOT_ID} name="" />
      {shownBranches.map(({ node }) => (
        <Branch key={node.id} type={node.type} id={node.id} name={nameOf(node)} />
      ))}
      <Show resource={root} what={t('objects.treeFailed')} skeleton={<Skeleton lines={12} />}>
        {(node) => (
          <>
            <TreeView
              label={t('objects.title')}
              rows={rows}
              activeId={activeId}
              currentId={current.id}
              marked={marked}
              stopped={stopped}
              linkOf={linkOf}
              isLoading={({ id }) => openIds.value.has(id) && !branches.value.has(id)}
              onActive={setActiveId}
              onMark={setMarked}
              onOpen={(one) => route(linkOf(one))}
            />
            {node.hasChildren ? (
              <p class="label">{t('objects.jobs', { count: tally(node.counts).total })}</p>
            ) : (
              <Empty title={t('objects.none')} />
            )}
          </>
        )}
      </Show>
    </aside>
  )
}
