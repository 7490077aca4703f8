import type { Item } from '../../api/client.ts'
import type { Definition, Widget } from './dashboard.ts'

/** Recipients and widgets of one mail. */
export const RECIPIENTS_MAX = 10
export const MAILED_MAX = 20

const MAILED: ReadonlySet<Item<'/alarmrecipients'>['type']> = new Set(['email', 'user', 'group'])
const DRAWN_CHARTS: ReadonlySet<string> = new Set(['line', 'area', 'bar'])

/** Whether recipients of a type get mails. */
export const isMailed = (type: Item<'/alarmrecipients'>['type']): boolean => MAILED.has(type)

function isDrawn(widget: Widget): boolean {
  if (widget.kind === 'chart') return DRAWN_CHARTS.has(widget.type)
  return widget.kind === 'value' || widget.kind === 'history' || widget.kind === 'slo'
}

/** The widgets that the service makes images of. */
export function drawnWidgets({ widgets }: Pick<Definition, 'widgets'>): readonly string[] {
  return Object.entries(widgets).flatMap(([id, widget]) => (isDrawn(widget) ? [id] : []))
}
