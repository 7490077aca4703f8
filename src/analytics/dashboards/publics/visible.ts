import type { Definition } from '../definition.ts'
import { mapReferences } from '../portable/slots.ts'
import type { Widget, WidgetKind } from '../widgets.ts'
import type { WidgetAnswer, WidgetData } from '../data/schema.ts'

/** Widgets that readers of a public link and of snapshots see. The others act, name users, or lead to other dashboards. */
const SHOWN: ReadonlySet<WidgetKind> = new Set<WidgetKind>([
  'value',
  'history',
  'chart',
  'table',
  'states',
  'slo',
  'map',
  'text',
  'image',
  'clock',
  'line',
])

export function isShown({ kind }: Widget): boolean {
  return SHOWN.has(kind)
}

/** The parts of a definition that others see: widgets without ids of anything else, and their places. */
export function visibleDefinition(definition: Definition): Record<string, unknown> {
  const widgets = Object.entries(definition.widgets).filter(([, widget]) => isShown(widget))
  const ids = new Set(widgets.map(([id]) => id))
  const kept = {
    schemaVersion: definition.schemaVersion,
    parameters: definition.parameters.filter(({ hidden }) => !hidden),
    timeRange: definition.timeRange,
    refresh: definition.refresh,
    timeZone: definition.timeZone,
    widgets: Object.fromEntries(widgets.map(([id, widget]) => [id, passive(widget)])),
    pages: definition.pages.map((page) => ({
      ...page,
      items: page.items.filter(({ widget }) => ids.has(widget)),
      small: page.small.filter((widget) => ids.has(widget)),
    })),
    style: { ...definition.style, file: null },
  }
  return mapReferences(kept, () => null)
}

/** A widget that changes nothing and leads to no other dashboard. */
function passive(widget: Widget): Widget {
  if (widget.kind === 'unknown') return widget
  const link = widget.link !== null && 'url' in widget.link ? widget.link : null
  return widget.kind === 'table' ? { ...widget, link, edit: false, download: false } : { ...widget, link }
}

const NO_RIGHTS = { read: true, write: false, execute: false, maintain: false } as const

/** The data of a widget without the rights of the user who published it. */
export function visibleAnswer(answer: WidgetAnswer): WidgetAnswer {
  const { data, detail: _detail, ...rest } = answer
  return data === undefined ? rest : { ...rest, data: visibleData(data) }
}

function visibleData(data: WidgetData): WidgetData {
  if (data.kind === 'objects')
    return { ...data, objects: data.objects.map((object) => ({ ...object, permissions: NO_RIGHTS })) }
  if ((data.kind === 'value' || data.kind === 'slo') && data.object !== null)
    return { ...data, object: { ...data.object, permissions: NO_RIGHTS } }
  return data
}
