import { t } from '../../language/t.ts'
import type { Nested, Widget } from './dashboard.ts'

/** The title of a widget. Without a title it is the name of the source, else the kind of the widget. */
export function titleOf(
  widget: Widget,
  nested: Pick<Nested, 'objects' | 'dataQueries' | 'dashboards'>,
): string {
  if (widget.title !== '') return widget.title
  return nameOfSource(widget, nested) ?? t(`boards.kind.${widget.kind}`)
}

function nameOfSource(
  widget: Widget,
  { objects, dataQueries, dashboards }: Pick<Nested, 'objects' | 'dataQueries' | 'dashboards'>,
): string | undefined {
  switch (widget.kind) {
    case 'value':
      if (widget.source.type === 'forecast') return undefined
      return widget.source.type === 'job'
        ? objects[String(widget.source.jobId)]?.name
        : dataQueries[String(widget.source.dataQueryId)]?.name
    case 'history':
      return widget.series.length === 1 ? objects[String(widget.series[0]?.jobId)]?.name : undefined
    case 'chart':
    case 'table':
      return dataQueries[String(widget.dataQueryId)]?.name
    case 'slo':
      return objects[String(widget.objectId)]?.name
    case 'dashboard':
      return dashboards[String(widget.dashboardId)]?.name
    default:
      return undefined
  }
}
