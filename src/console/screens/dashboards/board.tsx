import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Span } from '../../kit/charts/points.ts'
import { IconButton } from '../../kit/controls.tsx'
import { Stale } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo } from '../../kit/location.ts'
import { useMedia } from '../../kit/use-media.ts'
import { t } from '../../language/t.ts'
import { isHidden, readingOrder, substituted } from './dashboard.ts'
import type { Dashboard, Item, Nested, Page, TimeRange, Value, Values, Widget } from './dashboard.ts'
import { useData } from './use-data.ts'
import type { BoardData } from './use-data.ts'
import { WidgetContent } from './widget-content.tsx'
import { titleOf } from './widget-title.ts'

const ROW_PX = 84
const GAP_PX = 12
const HEAD_PX = 42
const SMALL = '(max-width: 60rem)'
const EMBED_MAX = 3

export type BoardProps = {
  readonly dashboard: Dashboard
  readonly nested: Nested
  readonly page: Page
  readonly data: BoardData
  readonly timeRange: TimeRange | null
  /** The least height of a row in the style sheet of the page. */
  readonly rowPx?: number
  /** How deep this dashboard is embedded. */
  readonly depth?: number
  readonly onValue: (name: string, value: Value) => void
  readonly onSpan: (span: Span) => void
}

/** The widgets of a page on its grid; below each other in a narrow window. */
export function Board(props: BoardProps): JSX.Element {
  const { dashboard, page, data, nested } = props
  const isSmall = useMedia(SMALL)
  const { widgets } = dashboard.definition
  const values = data.params ?? nested.params
  return (
    <>
      {data.failure && data.readAt !== null && (
        <Stale failure={data.failure} readAt={data.readAt} retry={data.reload} />
      )}
      <div class={`board ${dashboard.definition.style.cssClass}`}>
        {readingOrder(page, isSmall).map((item) => {
          const widget = widgets[item.widget]
          if (!widget || isHidden(widget, values)) return null
          return <Placed key={item.widget} {...props} item={item} widget={widget} values={values} />
        })}
      </div>
    </>
  )
}

type PlacedProps = BoardProps & { readonly item: Item; readonly widget: Widget; readonly values: Values }

function Placed(props: PlacedProps): JSX.Element {
  const { dashboard, nested, item, widget, data, values, onValue, onSpan, rowPx = ROW_PX } = props
  const [isTable, setTable] = useState(false)
  const title = titleOf(widget, nested)
  const content =
    widget.kind === 'dashboard' ? (
      <Embedded {...props} />
    ) : (
      <WidgetContent
        id={item.widget}
        dashboardId={dashboard.id}
        widget={widget}
        title={title}
        answer={data.widgets[item.widget]}
        definition={dashboard.definition}
        nested={nested}
        params={values}
        isTable={isTable}
        height={item.h * (rowPx + GAP_PX) - GAP_PX - HEAD_PX - 16}
        canExecute={dashboard.permissions.execute}
        reload={data.reload}
        onValue={onValue}
        onSpan={onSpan}
      />
    )
  return (
    <WidgetFrame
      item={item}
      widget={widget}
      title={title}
      actions={
        (widget.kind === 'chart' || widget.kind === 'history') && (
          <IconButton
            small
            icon={isTable ? 'chart' : 'table'}
            label={t(isTable ? 'boards.asChart' : 'boards.asTable', { title })}
            onClick={() => setTable(!isTable)}
          />
        )
      }
    >
      {content}
    </WidgetFrame>
  )
}

/** The frame of a widget: its title, the way it leads to, its actions. */
function WidgetFrame({
  item,
  widget,
  title,
  actions,
  children,
  ...rest
}: {
  readonly item: Item
  readonly widget: Widget
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
} & Omit<JSX.IntrinsicElements['section'], 'title' | 'style' | 'children'>): JSX.Element {
  // Of these kinds a title that is not given would say nothing.
  const isBare = widget.title === '' && ['line', 'clock', 'text', 'input', 'image'].includes(widget.kind)
  const href = hrefOf(widget)
  return (
    <section
      class="card widget"
      data-kind={widget.kind}
      aria-label={title}
      style={{ '--x': item.x + 1, '--y': item.y + 1, '--w': item.w, '--h': item.h }}
      {...rest}
    >
      {(!isBare || actions) && (
        <header>
          <h2 class="cut" title={title}>
            {title}
          </h2>
          {href !== undefined && (
            <a href={href} aria-label={t('boards.leadsTo', { title })}>
              <Icon name="link" />
            </a>
          )}
          {actions && <span class="end row">{actions}</span>}
        </header>
      )}
      <div class="in" {...(SCROLLS.has(widget.kind) && { tabIndex: 0, role: 'group', 'aria-label': title })}>
        {children}
      </div>
    </section>
  )
}

/** Kinds whose content may be higher than their place. */
const SCROLLS: ReadonlySet<Widget['kind']> = new Set(['states', 'alarms', 'text', 'dashboard'])

function hrefOf(widget: Widget): string | undefined {
  if (widget.kind === 'unknown' || widget.link === null) return undefined
  if ('url' in widget.link) return widget.link.url
  const values = Object.entries(widget.link.params).map(([name, value]) => [`p.${name}`, String(value ?? '')])
  return linkTo(
    `dashboards/${widget.link.dashboardId ?? ''}`,
    Object.fromEntries(values) as Record<string, string>,
  )
}

/** A page of another dashboard within this one. */
function Embedded(props: PlacedProps): JSX.Element {
  const { nested, item, widget, dashboard, timeRange, values, rowPx = ROW_PX, depth = 0 } = props
  const child = nested.children.find((one) => one.widget === item.widget && one.parentId === dashboard.id)
  const own = child?.dashboard
  const pageId = widget.kind === 'dashboard' ? widget.page : null
  const page = own?.definition.pages.find(({ id }) => id === pageId) ?? own?.definition.pages[0]
  const given = widget.kind === 'unknown' ? {} : substituted(widget.params, values)
  const settable = new Set(own?.definition.parameters.flatMap((one) => (one.hidden ? [] : [one.name])))
  const asked = Object.fromEntries(Object.entries(given).filter(([name]) => settable.has(name)))
  const data = useData(
    own && page ? { id: own.id, values: asked, timeRange, page: page.id, width: {} } : null,
  )
  if (!own || !page || depth >= EMBED_MAX) return <p class="quiet pad">{t('boards.data.noAccess')}</p>
  return (
    <Board
      dashboard={own}
      nested={nested}
      page={page}
      data={data}
      timeRange={timeRange}
      rowPx={rowPx}
      depth={depth + 1}
      onValue={() => undefined}
      onSpan={props.onSpan}
    />
  )
}
