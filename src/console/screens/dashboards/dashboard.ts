import type { Answer } from '../../api/client.ts'

export type Dashboard = Answer<'/dashboards/{id}'>
export type Summary = Answer<'/dashboards'>['items'][number]
export type Group = Answer<'/dashboards/groups'>['items'][number]
export type Nested = Answer<'/dashboards/{id}/nested'>
export type Definition = Dashboard['definition']
export type Widget = Definition['widgets'][string]
export type WidgetKind = Widget['kind']
export type WidgetOf<K extends WidgetKind> = Extract<Widget, { kind: K }>
export type Page = Definition['pages'][number]
export type Item = Page['items'][number]
export type Parameter = Definition['parameters'][number]
export type Value = Nested['params'][string]
export type Values = Readonly<Record<string, Value>>
export type TimeRange = Definition['timeRange']
export type DashboardData = Answer<'/dashboards/{id}/data', 'post'>
export type WidgetAnswer = DashboardData['widgets'][string]
export type WidgetData = NonNullable<WidgetAnswer['data']>
export type DataOf<K extends WidgetData['kind']> = Extract<WidgetData, { kind: K }>
export type ShownObject = DataOf<'objects'>['objects'][number]

/** The values that a widget gives: `${name}` as a whole text is the value of a parameter. */
export function substituted(params: Values, values: Values): Values {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const from = typeof value === 'string' ? /^\$\{([\w-]+)\}$/.exec(value)?.[1] : undefined
      return [name, from === undefined ? value : (values[from] ?? null)]
    }),
  )
}

/** Whether a widget hides while its parameter has a value. */
export function isHidden(widget: Widget, values: Values): boolean {
  if (widget.kind === 'unknown' || widget.hideWhen === null) return false
  const { parameter, op, value } = widget.hideWhen
  const isEqual = JSON.stringify(values[parameter] ?? null) === JSON.stringify(value)
  return op === 'eq' ? isEqual : !isEqual
}

/** The items of a page in the order in which they are read: by rows, or by the order for small screens. */
export function readingOrder({ items, small }: Page, isSmall: boolean): readonly Item[] {
  const byPlace = items.toSorted((a, b) => a.y - b.y || a.x - b.x)
  if (!isSmall || small.length === 0) return byPlace
  const placeOf = ({ widget }: Item): number => {
    const at = small.indexOf(widget)
    return at < 0 ? small.length : at
  }
  return byPlace.toSorted((a, b) => placeOf(a) - placeOf(b))
}
