import type { Dashboard, Definition, Item, Page, Widget, WidgetKind, WidgetOf } from '../dashboard.ts'
import { EVERY_OBJECT, FIRST_POINTS, FIRST_SERIES, FIRST_SOURCES } from './first-values.ts'
import { freePlace, placed } from './layout.ts'

/** The kinds of widgets that an editor adds. */
export type NewKind = Exclude<WidgetKind, 'unknown'>
/** The fields that each kind has. */
type CommonField = Exclude<keyof WidgetOf<'line'>, 'kind'>

/** The fields of a dashboard that an editor changes. */
export type BoardDraft = Pick<Dashboard, 'name' | 'urlName' | 'description' | 'groupId' | 'definition'>

export function draftOf({ name, urlName, description, groupId, definition }: Dashboard): BoardDraft {
  return { name, urlName, description, groupId, definition }
}

/** The definition with other items on one of its pages. */
export function withItems(definition: Definition, pageId: string, items: readonly Item[]): Definition {
  return {
    ...definition,
    pages: definition.pages.map((page) => (page.id === pageId ? { ...page, items: [...items] } : page)),
  }
}

export function withWidget(definition: Definition, id: string, widget: Widget): Definition {
  return { ...definition, widgets: { ...definition.widgets, [id]: widget } }
}

/** A new widget at the first free place of a page. */
export function withNewWidget(
  definition: Definition,
  page: Page,
  kind: NewKind,
): { readonly definition: Definition; readonly id: string } {
  const id = freeId(definition, kind)
  const items = placed(page.items, id, freePlace(page.items, SIZES[kind]))
  return {
    definition: withItems(withWidget(definition, id, newWidget(kind, definition)), page.id, items),
    id,
  }
}

export function withoutWidget(definition: Definition, id: string): Definition {
  const { [id]: _, ...widgets } = definition.widgets
  return {
    ...definition,
    widgets,
    pages: definition.pages.map((page) => ({
      ...page,
      items: page.items.filter(({ widget }) => widget !== id),
      small: page.small.filter((widget) => widget !== id),
    })),
  }
}

/** The definition with a widget that was removed from a former one, where it was there. */
export function withFormer(definition: Definition, former: Definition, id: string): Definition {
  const kept = { ...definition.widgets, [id]: former.widgets[id] }
  const ids = Object.keys({ ...former.widgets, ...kept })
  return {
    ...definition,
    widgets: Object.fromEntries(ids.flatMap((one) => (kept[one] ? [[one, kept[one]]] : []))),
    pages: definition.pages.map((page) => {
      const before = former.pages.find((one) => one.id === page.id)
      const at = before?.items.findIndex((item) => item.widget === id) ?? -1
      const item = before?.items[at]
      const small = before?.small.indexOf(id) ?? -1
      return {
        ...page,
        items: item ? [...placed(page.items.toSpliced(at, 0, item), id, item)] : page.items,
        small: small < 0 ? page.small : page.small.toSpliced(small, 0, id),
      }
    }),
  }
}

/** Ids stay for good: links and translations name them. */
function freeId({ widgets }: Definition, kind: string): string {
  for (let at = 1; ; at += 1) if (!Object.hasOwn(widgets, `${kind}${at}`)) return `${kind}${at}`
}

const NUMBER = { w: 3, h: 2 }
const WIDE = { w: 6, h: 3 }
const FLAT = { w: 3, h: 1 }
const SIZES: Readonly<Record<NewKind, { readonly w: number; readonly h: number }>> = {
  value: NUMBER,
  history: WIDE,
  chart: WIDE,
  table: WIDE,
  states: WIDE,
  alarms: WIDE,
  slo: { w: 4, h: 2 },
  map: { w: 6, h: 4 },
  text: { w: 4, h: 2 },
  image: { w: 4, h: 3 },
  input: FLAT,
  script: NUMBER,
  dashboard: WIDE,
  clock: FLAT,
  line: { w: 12, h: 1 },
}

export const NEW_KINDS = Object.keys(SIZES) as NewKind[]

const COMMON: Pick<WidgetOf<'text'>, CommonField> = {
  title: '',
  description: '',
  link: null,
  params: {},
  refresh: null,
  hideWhen: null,
}

function newWidget(kind: NewKind, { parameters }: Definition): Widget {
  const own: { readonly [K in NewKind]: Omit<WidgetOf<K>, CommonField | 'kind'> } = {
    value: {
      source: FIRST_SOURCES.job,
      unit: null,
      precision: null,
      thresholds: [],
      sparkline: 'P1D',
      compare: null,
    },
    history: {
      series: [FIRST_SERIES],
      scale: null,
      band: false,
      limits: false,
      maintenance: false,
      outages: false,
      forecast: null,
    },
    chart: {
      dataQueryId: null,
      type: 'line',
      x: 'x',
      y: ['y'],
      split: null,
      sort: 'none',
      limit: 1000,
      forecast: null,
    },
    table: { dataQueryId: null, objects: null, columns: [], pageSize: 50, edit: false, download: false },
    states: { objects: EVERY_OBJECT, depth: 1, sort: 'state', show: 'tiles' },
    alarms: { filter: null, statuses: ['open', 'assigned'], limit: 50, acknowledge: false },
    slo: { objectId: null, period: null, show: ['availability'] },
    map: { points: FIRST_POINTS.objects, cluster: null, tiles: null },
    text: { markdown: '' },
    image: { file: 'image.png', alt: 'image', fit: 'contain', hotspots: [] },
    input: { parameter: parameters[0]?.name ?? '', control: 'select' },
    script: {
      scriptId: null,
      runConfigurationId: null,
      label: '',
      confirm: '',
      upload: null,
      parameters: {},
      showLog: false,
      afterRun: [],
    },
    dashboard: { dashboardId: null, page: null },
    clock: { timeZone: null },
    line: {},
  }
  return { kind, ...COMMON, ...own[kind] } as Widget
}
