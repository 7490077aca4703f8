import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'

import { IconButton } from '../../../kit/controls.tsx'
import { Empty } from '../../../kit/feedback.tsx'
import { useMedia } from '../../../kit/use-media.ts'
import { t } from '../../../language/t.ts'
import { readingOrder } from '../dashboard.ts'
import type { Definition, Item, Nested, Page, Widget } from '../dashboard.ts'
import type { BoardData } from '../use-data.ts'
import { WidgetContent } from '../widget-content.tsx'
import { titleOf } from '../widget-title.ts'
import { COLUMNS, keyedPlace, placed } from './layout.ts'
import type { Place } from './layout.ts'

const ROW_PX = 96
const HEAD_PX = 58
const GAP_PX = 12

type Props = {
  readonly page: Page
  readonly definition: Definition
  readonly nested: Nested
  readonly data: BoardData
  /** Whether a widget is as it is stored, so that its data fit. */
  readonly isStored: (id: string) => boolean
  readonly onItems: (items: readonly Item[]) => void
  readonly onConfigure: (id: string) => void
  readonly onRemove: (id: string) => void
}

/** The widgets of a page, which are moved and resized by the pointer or by keys. */
export function EditBoard(props: Props): JSX.Element {
  const { page, definition, onItems } = props
  const board = useRef<HTMLDivElement>(null)
  const isSmall = useMedia('(max-width: 60rem)')
  const [dragged, setDragged] = useState<readonly Item[] | null>(null)
  const [said, say] = useState('')
  const items = dragged ?? page.items
  const move = (id: string, place: Place): void => {
    const next = placed(page.items, id, place)
    onItems(next)
    const { x, y, w, h } = next.find((item) => item.widget === id) ?? place
    say(t('boards.placeIs', { column: x + 1, row: y + 1, width: w, height: h }))
  }
  const drag = (event: PointerEvent, item: Item, kind: 'move' | 'size'): void => {
    if (!board.current || event.button !== 0) return
    event.preventDefault()
    follow(event, board.current.clientWidth, (by) => {
      const next = placed(page.items, item.widget, draggedPlace(item, by, kind))
      setDragged(next)
      return () => {
        setDragged(null)
        onItems(next)
      }
    })
  }
  if (page.items.length === 0) return <Empty title={t('boards.empty')} text={t('boards.addFirst')} />
  return (
    <>
      <div class="board editing" ref={board}>
        {readingOrder({ ...page, items: [...items] }, isSmall).map((item) => {
          const widget = definition.widgets[item.widget]
          if (!widget) return null
          return (
            <EditedWidget
              key={item.widget}
              {...props}
              item={item}
              widget={widget}
              onMove={move}
              onDrag={drag}
            />
          )
        })}
      </div>
      <p class="vh" role="status">
        {said}
      </p>
    </>
  )
}

type EditedProps = Props & {
  readonly item: Item
  readonly widget: Widget
  readonly onMove: (id: string, place: Place) => void
  readonly onDrag: (event: PointerEvent, item: Item, kind: 'move' | 'size') => void
}

function EditedWidget(props: EditedProps): JSX.Element {
  const { item, widget, nested, onMove, onDrag, onConfigure, onRemove } = props
  const title = titleOf(widget, nested)
  const id = item.widget
  const press = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    const place = keyedPlace(event, item)
    if (place) onMove(id, place)
    else if (event.key === 'Enter') onConfigure(id)
    else if (event.key === 'Delete') onRemove(id)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <section
      class="card widget"
      data-kind={widget.kind}
      tabIndex={0}
      aria-label={t('boards.widgetName', {
        title,
        column: item.x + 1,
        row: item.y + 1,
        width: item.w,
        height: item.h,
      })}
      aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown Enter Delete"
      style={{ '--x': item.x + 1, '--y': item.y + 1, '--w': item.w, '--h': item.h }}
      onKeyDown={press}
    >
      <header onPointerDown={(event) => !isButton(event) && onDrag(event, item, 'move')}>
        <h2 class="cut">{title}</h2>
        <span class="end row">
          <IconButton
            small
            icon="settings"
            label={t('boards.configure', { title })}
            onClick={() => onConfigure(id)}
          />
          <IconButton small icon="close" label={t('boards.remove', { title })} onClick={() => onRemove(id)} />
        </span>
      </header>
      <div class="in" inert>
        <EditedContent {...props} title={title} />
      </div>
      <span class="grip" aria-hidden="true" onPointerDown={(event) => onDrag(event, item, 'size')} />
    </section>
  )
}

const isButton = (event: PointerEvent): boolean => (event.target as Element).closest('button') !== null

function EditedContent({
  item,
  widget,
  title,
  definition,
  nested,
  data,
  isStored,
}: EditedProps & { readonly title: string }): JSX.Element {
  const id = item.widget
  if (widget.kind === 'dashboard') return <p class="quiet pad">{t('boards.kind.dashboard')}</p>
  if (!isStored(id) && widget.kind !== 'text') return <p class="quiet pad">{t('boards.saveForData')}</p>
  return (
    <WidgetContent
      id={id}
      dashboardId={nested.dashboard.id}
      widget={widget}
      title={title}
      answer={data.widgets[id]}
      definition={definition}
      nested={nested}
      params={data.params ?? nested.params}
      isTable={false}
      height={item.h * ROW_PX - HEAD_PX}
      canExecute={false}
      reload={() => undefined}
      onValue={() => undefined}
      onSpan={() => undefined}
    />
  )
}

type By = { readonly columns: number; readonly rows: number }

function draggedPlace({ x, y, w, h }: Item, { columns, rows }: By, kind: 'move' | 'size'): Place {
  if (kind === 'move') return { x: x + columns, y: y + rows, w, h }
  return { x, y, w: Math.min(COLUMNS - x, Math.max(1, w + columns)), h: Math.max(1, h + rows) }
}

/** Follows the pointer until its button is released.
 * @param moved gets the number of cells by which the pointer has moved; returns the function to call at the end */
function follow(start: PointerEvent, widthPx: number, moved: (by: By) => () => void): void {
  const columnPx = (widthPx + GAP_PX) / COLUMNS
  let finish = (): void => undefined
  const move = (event: PointerEvent): void => {
    finish = moved({
      columns: Math.round((event.clientX - start.clientX) / columnPx),
      rows: Math.round((event.clientY - start.clientY) / ROW_PX),
    })
  }
  const release = (): void => {
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', release)
    finish()
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', release)
}
