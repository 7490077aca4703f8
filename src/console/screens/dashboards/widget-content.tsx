import type { JSX } from 'preact'
import { lazy } from 'preact-iso'

import type { Span } from '../../kit/charts/points.ts'
import { Note, Skeleton } from '../../kit/feedback.tsx'
import { now, timeText, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type {
  DataOf,
  Definition,
  Nested,
  Value,
  Values,
  Widget,
  WidgetAnswer,
  WidgetData,
} from './dashboard.ts'
import { ParameterField } from './parameter-field.tsx'
import { Alarms } from './widgets/alarms.tsx'
import { HistoryChart, RowsChart } from './widgets/charts.tsx'
import { Figure } from './widgets/figure.tsx'
import { Level } from './widgets/level.tsx'
import { Markdown } from './widgets/markdown.tsx'
import { ObjectStates } from './widgets/objects.tsx'
import { Picture } from './widgets/picture.tsx'
import { RowsTable } from './widgets/rows-table.tsx'
import { ScriptRun } from './widgets/script.tsx'

/** The things that a widget is drawn from. */
export type Drawn = {
  readonly id: string
  readonly dashboardId: number
  readonly widget: Widget
  readonly title: string
  readonly answer: WidgetAnswer | undefined
  readonly definition: Definition
  readonly nested: Nested
  readonly params: Values
  readonly isTable: boolean
  /** The height of the content in px. */
  readonly height: number
  readonly canExecute: boolean
  readonly reload: () => void
  readonly onValue: (name: string, value: Value) => void
  readonly onSpan: (span: Span) => void
}

/** The outline of the land is loaded with the first map. */
const LazyMap = lazy(async () => (await import('./widgets/map.tsx')).PointsMap)

/** Kinds that are drawn without data. */
const STATIC: ReadonlySet<Widget['kind']> = new Set([
  'text',
  'clock',
  'line',
  'unknown',
  'input',
  'image',
  'dashboard',
])

/** The content of a widget: its data, or why there are none. Each widget fails alone. */
export function WidgetContent(drawn: Drawn): JSX.Element {
  const { widget, answer } = drawn
  if (STATIC.has(widget.kind)) return <Static {...drawn} />
  if (answer === undefined) return <Skeleton lines={3} />
  if (answer.data === undefined) return <Failed answer={answer} />
  return <WithData {...drawn} data={answer.data} />
}

const FAILURES: Readonly<Record<number, 'noAccess' | 'invalid'>> = {
  403: 'noAccess',
  404: 'noAccess',
  422: 'invalid',
}

/** Why a widget has no data. */
function Failed({ answer: { status, detail, retryAfter } }: { readonly answer: WidgetAnswer }): JSX.Element {
  const key = FAILURES[status] ?? 'failed'
  return (
    <Note kind={key === 'noAccess' ? 'info' : 'warning'} icon={key === 'noAccess' ? 'lock' : 'info'}>
      <b>{t(`boards.data.${key}`)}</b>
      {detail !== undefined && key !== 'noAccess' && <div lang="en">{detail}</div>}
      {retryAfter !== undefined && <div>{t('boards.retryAfter', { count: retryAfter })}</div>}
    </Note>
  )
}

function WithData({ data, ...drawn }: Drawn & { readonly data: WidgetData }): JSX.Element {
  const { widget, nested, title, isTable, height, canExecute, reload, onSpan } = drawn
  switch (data.kind) {
    case 'value':
      return <Figure data={data} />
    case 'history':
      return (
        <HistoryChart
          data={data}
          title={title}
          isTable={isTable}
          height={height}
          nameOf={(id) => nested.objects[String(id)]?.name}
          onSpan={onSpan}
        />
      )
    case 'rows':
      return <OfRows {...drawn} data={data} />
    case 'objects':
      return <ObjectStates data={data} show={widget.kind === 'states' ? widget.show : 'list'} />
    case 'alarms':
      return (
        <Alarms
          data={data}
          canAcknowledge={canExecute && widget.kind === 'alarms' && widget.acknowledge}
          reload={reload}
        />
      )
    case 'slo':
      return widget.kind === 'slo' ? <Level widget={widget} data={data} /> : <Unknown />
    case 'script':
      return widget.kind === 'script' ? (
        <ScriptRun
          widget={widget}
          data={data}
          name={scriptName(drawn)}
          place={{ dashboardId: drawn.dashboardId, widgetId: drawn.id }}
          params={drawn.params}
          canExecute={canExecute}
          reload={reload}
        />
      ) : (
        <Unknown />
      )
    case 'values':
      return <Unknown />
  }
}

function OfRows({
  widget,
  data,
  title,
  isTable,
  height,
}: Drawn & { readonly data: DataOf<'rows'> }): JSX.Element {
  if (widget.kind === 'chart')
    return <RowsChart widget={widget} data={data} title={title} isTable={isTable} height={height} />
  if (widget.kind === 'table') return <RowsTable widget={widget} data={data} title={title} />
  if (widget.kind === 'map' && widget.points.type === 'dataQuery')
    return <LazyMap points={widget.points} data={data} title={title} />
  return <Unknown />
}

function scriptName({ widget, nested }: Pick<Drawn, 'widget' | 'nested'>): string {
  const id = widget.kind === 'script' ? widget.scriptId : null
  return nested.scripts[String(id)]?.name ?? t('boards.kind.script')
}

function Static({ widget, answer, definition, params, onValue }: Drawn): JSX.Element {
  switch (widget.kind) {
    case 'text':
      return <Markdown text={widget.markdown} />
    case 'image':
      return <Picture widget={widget} data={answer?.data?.kind === 'objects' ? answer.data : null} />
    case 'clock':
      return <Clock zone={widget.timeZone} />
    case 'line':
      return <hr />
    case 'input': {
      const parameter = definition.parameters.find(({ name }) => name === widget.parameter)
      if (!parameter) return <Unknown />
      return (
        <div class="pad">
          <ParameterField
            parameter={parameter}
            control={widget.control}
            value={params[parameter.name] ?? null}
            found={answer?.data?.kind === 'values' ? answer.data.values : null}
            onValue={(value) => onValue(parameter.name, value)}
          />
        </div>
      )
    }
    default:
      return <Unknown />
  }
}

/** A widget that this page cannot draw, such as one of a newer release. */
function Unknown(): JSX.Element {
  return <Note>{t('boards.unknownWidget')}</Note>
}

function Clock({ zone }: { readonly zone: string | null }): JSX.Element {
  const shown = zone ?? timeZone.value
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: shown, hour: '2-digit', minute: '2-digit' })
  return (
    <p class="figure">
      <span class="v">{zone === null ? timeText(now.value) : text.format(now.value)}</span>
      <span class="label">{shown}</span>
    </p>
  )
}
