import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { nameOf } from '../../../kit/object-name.ts'
import { Windowed } from '../../../kit/windowed.tsx'
import { t } from '../../../language/t.ts'
import { setOpen } from './branches.ts'
import type { Node, TreeRow } from './branches.ts'
import { Row } from './row.tsx'
import { jump, moveOf } from './tree-keys.ts'

/** As in objects.css: a finger needs more than a mouse. */
const ROW_PX = matchMedia('(pointer: coarse)').matches ? 44 : 28
/** Letters that follow each other within this time are one text. */
const TYPING_MS = 700

type Props = {
  readonly label: string
  readonly rows: readonly TreeRow[]
  readonly activeId: number
  readonly currentId: number
  readonly marked: ReadonlySet<number>
  /** Whether a click marks an object, as one with Ctrl does at any time. */
  readonly isMarking: boolean
  readonly stopped: ReadonlySet<number>
  readonly linkOf: (node: Node) => string
  readonly isLoading: (node: Node) => boolean
  readonly onActive: (id: number) => void
  readonly onMark: (marked: ReadonlySet<number>) => void
  readonly onOpen: (node: Node) => void
}

/** A tree with one tab stop: only rows near the view are in the page, so that the tree itself keeps the focus. */
export function TreeView(props: Props): JSX.Element {
  const { label, rows, activeId, marked, onActive, onMark, onOpen } = props
  const typed = useRef({ text: '', at: 0 })
  const found = rows.findIndex(({ node }) => node.id === activeId)
  const at = Math.max(0, found)
  const active = rows[at]
  useEffect(() => {
    if (found < 0 && active) onActive(active.node.id)
  }, [found, active])

  const toggle = (id: number): void => {
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    onMark(next)
  }
  const go = (to: number, extend: boolean): void => {
    const row = rows[to]
    if (!row || !active) return
    if (extend) onMark(new Set([...marked, active.node.id, row.node.id]))
    onActive(row.node.id)
  }
  const type = (letter: string): void => {
    const isMore = Date.now() - typed.current.at < TYPING_MS
    typed.current = { text: isMore ? typed.current.text + letter : letter, at: Date.now() }
    go(
      jump(
        rows.map(({ node }) => nameOf(node)),
        at,
        typed.current.text,
      ),
      false,
    )
  }
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !active) return
    const move = moveOf(event.key, rows, at)
    if (move && 'go' in move) go(move.go, event.shiftKey)
    else if (move && 'open' in move) setOpen(move.open, true)
    else if (move) setOpen([move.close], false)
    else if (event.key === 'Enter') onOpen(active.node)
    else if (event.key === ' ') toggle(active.node.id)
    else if (event.key === 'Escape' && marked.size > 0) onMark(new Set())
    else if (event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key)) type(event.key)
    else return
    event.preventDefault()
  }
  const choose = (event: MouseEvent, node: Node): void => {
    onActive(node.id)
    if (props.isMarking || event.ctrlKey || event.metaKey || event.shiftKey) {
      event.preventDefault()
      // The router follows links of which the default is prevented, too.
      event.stopPropagation()
      toggle(node.id)
    } else if (!(event.target as Element).closest('a')) onOpen(node)
  }
  return (
    <Windowed
      class="tree grow"
      role="tree"
      aria-label={label}
      aria-multiselectable="true"
      aria-description={t('objects.treeKeys')}
      tabIndex={0}
      {...(active ? { 'aria-activedescendant': `node-${active.node.id}` } : {})}
      onKeyDown={press}
      count={rows.length}
      rowPx={ROW_PX}
      focusAt={at}
      focusId={active?.node.id ?? null}
      row={(index) => {
        const row = rows[index]
        if (!row) return null
        const { node } = row
        return (
          <Row
            key={node.id}
            row={row}
            href={props.linkOf(node)}
            isActive={index === at}
            isCurrent={node.id === props.currentId}
            isMarked={marked.has(node.id)}
            isMarking={props.isMarking}
            isStopped={props.stopped.has(node.id)}
            isBusy={props.isLoading(node)}
            onToggle={() => setOpen([node.id], row.isOpen === false)}
            onChoose={(event) => choose(event, node)}
          />
        )
      }}
    />
  )
}
