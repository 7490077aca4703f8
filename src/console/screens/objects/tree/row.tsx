import type { JSX } from 'preact'

import { Icon } from '../../../kit/icons.tsx'
import type { IconName } from '../../../kit/icons.tsx'
import { nameOf } from '../../../kit/object-name.ts'
import { State } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { CurrentValue } from '../current-value.tsx'
import type { Node, TreeRow } from './branches.ts'
import { Roll } from './roll.tsx'

export const ICONS: Readonly<Record<Node['type'], IconName>> = {
  group: 'group',
  device: 'device',
  job: 'job',
  slo: 'slo',
  slc: 'slo',
}

/** The state of a job, or the drawing of any other object. */
function NodeIcon({ node, isStopped }: { readonly node: Node; readonly isStopped: boolean }): JSX.Element {
  if (node.type === 'job') return <State state={node.state} stopped={isStopped} look="lone" />
  return <Icon name={ICONS[node.type]} />
}

type Props = {
  readonly row: TreeRow
  readonly href: string
  readonly isActive: boolean
  readonly isCurrent: boolean
  readonly isMarked: boolean
  readonly isMarking: boolean
  readonly isStopped: boolean
  readonly isBusy: boolean
  readonly onToggle: () => void
  readonly onChoose: (event: MouseEvent) => void
}

export function Row(props: Props): JSX.Element {
  const { row, href, isActive, isCurrent, isMarked, isMarking, isStopped, isBusy } = props
  const { onToggle, onChoose } = props
  const { node, level, position, siblings, isOpen } = row
  return (
    <div
      role="treeitem"
      id={`node-${node.id}`}
      class={isActive ? 'active' : ''}
      style={{ '--d': level - 1 }}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isMarked}
      {...(isOpen === null ? {} : { 'aria-expanded': isOpen })}
      {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
      {...(isBusy ? { 'aria-busy': true } : {})}
      onClick={onChoose}
    >
      <span
        class="tw"
        aria-hidden="true"
        onClick={(event) => {
          if (isOpen === null) return
          event.stopPropagation()
          onToggle()
        }}
      >
        {isOpen !== null && <Icon name="chevron" />}
      </span>
      {isMarking && (
        <span class="box" aria-hidden="true">
          {isMarked && <Icon name="check" />}
        </span>
      )}
      <NodeIcon node={node} isStopped={isStopped} />
      <a class="cut" tabIndex={-1} href={href}>
        {nameOf(node)}
      </a>
      {row.note === undefined ? (
        <Aside node={node} isStopped={isStopped} />
      ) : (
        <>
          <span class="roll cut">{row.note}</span>
          {node.type === 'job' && !isStopped && <CurrentValue id={node.id} />}
        </>
      )}
    </div>
  )
}

/** The end of a row: the jobs below, the latest value of a job, or the state of a service level in trouble. */
function Aside({
  node,
  isStopped,
}: {
  readonly node: Node
  readonly isStopped: boolean
}): JSX.Element | null {
  if (isStopped) return <span class="roll">{t('state.stopped')}</span>
  if (node.type === 'group' || node.type === 'device') return <Roll counts={node.counts} />
  if (node.type === 'job') return <CurrentValue id={node.id} />
  if (node.state === 'ok' || node.state === 'undefined') return null
  return (
    <span class="roll">
      <State state={node.state} look="lone" />
    </span>
  )
}
