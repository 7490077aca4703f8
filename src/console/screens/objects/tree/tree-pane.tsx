import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import type { Resource } from '../../../api/resource.ts'
import { Empty, Show, Skeleton } from '../../../kit/feedback.tsx'
import { objectLink, useQuery } from '../../../kit/location.ts'
import { nameOf } from '../../../kit/object-name.ts'
import { t } from '../../../language/t.ts'
import type { Place } from '../trail.ts'
import { branches, openIds, ROOT_ID, rowsOf, setOpen } from './branches.ts'
import type { Node, TreeRow } from './branches.ts'
import { FilterBar } from './filter-bar.tsx'
import { definitionOf, isEmpty, jsonOf } from './filter.ts'
import type { Definition } from './filter.ts'
import { Found } from './found.tsx'
import { MarkedBar } from './marked-bar.tsx'
import { Branch, useBranch, useFreshBranches, useStoppedJobs } from './reading.tsx'
import { tally } from './roll.tsx'
import { TreeView } from './tree-view.tsx'

type Props = {
  readonly current: { readonly type: Place['type']; readonly id: number }
  /** The objects above the current one, which are opened; null until they are read. */
  readonly above: readonly Place[] | null
}
/** The parameters of the address that stay when another object is shown. */
const KEPT = ['filter', 'mine', 'range']

/** All objects as a tree, or those that a filter leaves, beside the page of one. */
export function TreePane({ current, above }: Props): JSX.Element {
  const { route } = useLocation()
  const [json, setJson] = useQuery<string>('filter', '')
  const [mine, setMine] = useQuery<'' | 'yes'>('mine', '')
  const [activeId, setActiveId] = useState(current.id)
  const [marked, setMarked] = useState<ReadonlyMap<number, Node>>(new Map())
  const [isMarking, setMarking] = useState(false)
  const stopped = useStoppedJobs()
  const root = useBranch('group', ROOT_ID)
  const definition = definitionOf(json)
  const isFiltered = !isEmpty(definition) || mine === 'yes'
  useEffect(() => setActiveId(current.id), [current.id])
  useEffect(() => {
    if (above !== null && above.length > 0)
      setOpen(
        above.map(({ id }) => id),
        true,
      )
  }, [above])
  const mark = (rows: readonly TreeRow[], ids: ReadonlySet<number>): void => {
    const nodes = new Map(
      [...marked.values(), ...rows.map(({ node }) => node)].map((node) => [node.id, node]),
    )
    setMarked(new Map([...nodes].filter(([id]) => ids.has(id))))
  }
  const draw = (rows: readonly TreeRow[]): JSX.Element => (
    <TreeView
      label={t('objects.title')}
      rows={rows}
      activeId={activeId}
      currentId={current.id}
      marked={new Set(marked.keys())}
      isMarking={isMarking}
      stopped={stopped}
      linkOf={linkOf}
      isLoading={({ id }) => !isFiltered && openIds.value.has(id) && !branches.value.has(id)}
      onActive={setActiveId}
      onMark={(ids) => mark(rows, ids)}
      onOpen={(node) => route(linkOf(node))}
    />
  )
  const count = (text: string): JSX.Element =>
    marked.size > 0 ? (
      <MarkedBar nodes={[...marked.values()]} onUnmark={() => setMarked(new Map())} />
    ) : (
      <p class="label" role="status">
        {text}
      </p>
    )
  const { trouble, total } = tally(root.data?.counts)
  return (
    <aside class="pane" aria-label={t('objects.title')}>
      <h1 class="narrow">{t('objects.title')}</h1>
      <FilterBar
        definition={definition}
        isMine={mine === 'yes'}
        notOk={trouble}
        onChange={(next: Definition) => setJson(jsonOf(next))}
        onMine={(on) => setMine(on ? 'yes' : '')}
        isMarking={isMarking}
        onMarking={setMarking}
      />
      {isFiltered ? (
        <Found definition={definition} isMine={mine === 'yes'} onClear={() => route(location.pathname, true)}>
          {(rows, found) => (
            <>
              {draw(rows)}
              {count(found)}
            </>
          )}
        </Found>
      ) : (
        <Whole root={root} above={above} draw={draw} label={count(t('objects.jobs', { count: total }))} />
      )}
    </aside>
  )
}

/** The whole tree, which is empty for a user without any grant. */
function Whole({
  root,
  above,
  draw,
  label,
}: {
  readonly root: Resource<Node>
  readonly above: Props['above']
  readonly draw: (rows: readonly TreeRow[]) => JSX.Element
  readonly label: JSX.Element
}): JSX.Element {
  if (root.failure?.status === 404)
    return <Empty title={t('objects.noneOpen')} text={t('objects.noneOpenText')} />
  return (
    <Show resource={root} what={t('objects.treeFailed')} skeleton={<Skeleton lines={12} />}>
      {({ hasChildren }) => (
        <>
          <WholeTree above={above} draw={draw} label={hasChildren ? label : null} />
          {!hasChildren && <Empty title={t('objects.none')} />}
        </>
      )}
    </Show>
  )
}

/** The tree from the root; reads each open branch. It is drawn when its branches are read that are open at first, or when one
 * cannot be read: else each would move the rows below it. */
function WholeTree({
  above,
  draw,
  label,
}: {
  readonly above: Props['above']
  readonly draw: (rows: readonly TreeRow[]) => JSX.Element
  readonly label: JSX.Element | null
}): JSX.Element {
  const rows = rowsOf(branches.value, openIds.value)
  const open = rows.filter(({ isOpen }) => isOpen)
  const [isDrawn, setDrawn] = useState(false)
  const isRead =
    above?.every(({ id }) => openIds.value.has(id)) === true &&
    rows.length > 0 &&
    open.every(({ node }) => branches.value.has(node.id))
  useFreshBranches(open.length)
  useEffect(() => {
    if (isRead) setDrawn(true)
  }, [isRead])
  const onFailure = (): void => setDrawn(true)
  return (
    <>
      <Branch type="group" id={ROOT_ID} name="" onFailure={onFailure} />
      {open.map(({ node }) => (
        <Branch key={node.id} type={node.type} id={node.id} name={nameOf(node)} onFailure={onFailure} />
      ))}
      {isDrawn || isRead ? (
        <>
          {draw(rows)}
          {label}
        </>
      ) : (
        <Skeleton lines={12} />
      )}
    </>
  )
}

function linkOf({ type, id }: Node): string {
  const kept = [...new URLSearchParams(location.search)].filter(([name]) => KEPT.includes(name))
  const search = new URLSearchParams(kept)
  return objectLink(type, id) + (search.size > 0 ? `?${search}` : '')
}
