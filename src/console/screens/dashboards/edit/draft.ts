import type { Dashboard, Definition, Item, Page, Widget, WidgetKind } from '../dashboard.ts'
import { freePlace, placed } from './layout.ts'

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
  kind: WidgetKind,
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

/** Ids stay for good: links and translations name them. */
function freeId({ widgets }: Definition, kind: string): string {
  for (let at = 1; ; at += 1) if (!Object.hasOwn(widgets, `${kind}${at}`)) return `${kind}${at}`
}

const NUMBER = { w: 3, h: 2 }
const WIDE = { w: 6, h: 3 }
const FLAT = { w: 3, h: 1 }
const SIZES: Readonly<Record<WidgetKind, { readonly w: number; readonly h: number }>> = {
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
  unknown: NUMBER,
}

/** The kinds of widgets that an editor adds. */
export const NEW_KINDS = (Object.keys(SIZES) as WidgetKind[]).filter((kind) => kind !== 'unknown')

const COMMON = { title: '', description: '', link: null, params: {}, refresh: null, hideWhen: null }
const OBJECTS = { ids: [], groupId: 1, type: null }

function newWidget(kind: WidgetKind, { parameters }: Definition): Widget {
  const own: Partial<Readonly<Record<WidgetKind, object>>> = {
    value: {
      source: { type: 'job', jobId: null, key: 'returnValue1' },
      unit: null,
      precision: null,
      thresholds: [],
      sparkline: 'P1D',
      compare: null,
    },
    history: {
      series: [{ jobId: null, key: 'returnValue1', mode: 'avg', color: null, axis: 'left' }],
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
    states: { objects: OBJECTS, depth: 1, sort: 'state', show: 'tiles' },
    alarms: { filter: null, statuses: ['open', 'assigned'], limit: 50, acknowledge: false },
    slo: { objectId: null, period: null, show: ['availability'] },
    map: { points: { type: 'objects', objects: OBJECTS }, cluster: null, tiles: null },
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
  }
  return { kind, ...COMMON, ...own[kind] } as unknown as Widget
}
