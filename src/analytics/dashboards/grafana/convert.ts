import { sha256 } from '../../../lib/digest.ts'
import { cutText, isInReadingOrder, isVisible } from '../../../lib/text.ts'
import { FORMAT, FORMAT_VERSION } from '../portable/schema.ts'
import type { ExportView, PortableDashboard } from '../portable/schema.ts'
import { freeUrlName, urlNameOf } from '../url-name.ts'
import { numberAt, recordAt, recordsAt, textAt, titleOf } from './fields.ts'
import type { Json } from './fields.ts'
import { pagesOf, placedPanels } from './layout.ts'
import type { Placed } from './layout.ts'
import { typeOf, widgetOf } from './panels.ts'
import type { MadeWidget } from './panels.ts'
import { rangeOf, refreshOf, timeZoneOf } from './times.ts'
import { parametersOf } from './variables.ts'
import type { VariableReport } from './variables.ts'
import { isJsonObject } from '../../../lib/json.ts'

const WIDGETS_MAX = 200
/** Of the widgets of one dashboard, as JSON. The rest of a definition has room beside them. */
const WIDGETS_MAX_CHARACTERS = 240_000
const DESCRIPTION_MAX = 4_000
const QUERIES_MAX = 200

export type PanelReport = {
  readonly id: number | null
  readonly title: string
  readonly type: string
  readonly urlName: string
  readonly widget: string
  readonly outcome: MadeWidget['outcome']
  readonly notes: readonly string[]
}

export type Converted = {
  readonly document: ExportView
  readonly panels: readonly PanelReport[]
  readonly variables: readonly VariableReport[]
  readonly leftOut: readonly string[]
}

type Options = {
  /** The data source of new data queries; null for none. */
  readonly dataSource: string | null
}

/** The dashboard in a file of Grafana: as saved, as its API answers it, or as a resource with the classic schema; null for
 * other files. */
export function classicDashboard(file: Json): Json | null {
  const spec = isJsonObject(file['spec']) && file['kind'] === 'Dashboard' ? file['spec'] : file
  const found = isJsonObject(spec['dashboard']) ? spec['dashboard'] : spec
  return Array.isArray(found['panels']) || Array.isArray(found['rows']) ? found : null
}

/** Converts a dashboard of Grafana with the classic schema. Each panel, variable and setting is in the report. */
export async function convertGrafana(dashboard: Json, { dataSource }: Options): Promise<Converted> {
  const name = nameOf(dashboard)
  const { parameters, report } = parametersOf(dashboard)
  const [range, refresh] = [rangeOf(dashboard), refreshOf(dashboard)]
  const base = {
    schemaVersion: 1,
    parameters,
    timeRange: range.value,
    refresh: refresh.value,
    timeZone: timeZoneOf(dashboard),
    ...(['light', 'dark'].includes(textAt(dashboard, 'style')) && { style: { theme: dashboard['style'] } }),
  }
  const widgets = madeWidgets(dashboard, name, dataSource !== null)
  const parts = partsOf(widgets)
  const taken = new Set<string>()
  const dashboards: PortableDashboard[] = []
  const panels: PanelReport[] = []
  for (const [index, part] of parts.entries()) {
    const title = index === 0 ? name : `${cutText(name, 240)} (${index + 1})`
    const urlName = freeUrlName(urlNameOf(title), taken)
    taken.add(urlName)
    dashboards.push({
      uuid: await uuidOf(dashboard, name, index),
      urlName,
      name: title,
      description: cutText(textAt(dashboard, 'description'), DESCRIPTION_MAX),
      version: Math.min(1_000_000, Math.max(1, Math.floor(numberAt(dashboard, 'version', 1)))),
      groupPath: [],
      definition: { ...base, ...placesOf(part) },
    })
    panels.push(...part.map((one) => reportOf(one, urlName)))
  }
  return {
    document: {
      format: FORMAT,
      formatVersion: FORMAT_VERSION,
      dashboards,
      groups: [],
      dataQueries: queriesOf(widgets, dataSource),
      scripts: [],
    },
    panels,
    variables: report,
    leftOut: [range.note, refresh.note, ...leftOut(dashboard, parts.length)].filter((note) => note !== null),
  }
}

type Widget = Placed & { readonly id: string; readonly made: MadeWidget; readonly query: string | null }

function madeWidgets(dashboard: Json, name: string, takesSql: boolean): Widget[] {
  const ids = new Set<string>()
  let queries = 0
  return placedPanels(dashboard).map(({ panel, place }, index) => {
    const made = widgetOf(panel, { takesSql: takesSql && queries < QUERIES_MAX })
    const number = numberAt(panel, 'id', 0)
    const wanted = Number.isInteger(number) && number > 0 ? `panel-${number}` : `part-${index + 1}`
    const id = (ids.has(wanted) ? `${wanted}-${index + 1}` : wanted).slice(0, 40)
    ids.add(id)
    if (made.sql !== null) queries++
    const query = made.sql === null ? null : `${cutText(name, 120)}: ${cutText(titleIn(panel, id), 120)}`
    const unique = query !== null && queries > 1 ? `${query} (${queries})` : query
    return { panel, place, id, made, query: unique }
  })
}

function titleIn(panel: Json, id: string): string {
  const title = titleOf(textAt(panel, 'title'))
  return isVisible(title) && isInReadingOrder(title) ? title : id
}

/** Divides widgets among dashboards, as far as their bounds demand. A dashboard without panels is one as well. */
function partsOf(widgets: readonly Widget[]): readonly (readonly Widget[])[] {
  const parts: Widget[][] = [[]]
  let characters = 0
  for (const widget of widgets) {
    const own = JSON.stringify(widget.made.widget).length + 200
    const last = parts.at(-1) ?? []
    if (last.length >= WIDGETS_MAX || (last.length > 0 && characters + own > WIDGETS_MAX_CHARACTERS)) {
      parts.push([widget])
      characters = own
    } else {
      last.push(widget)
      characters += own
    }
  }
  return parts
}

function placesOf(part: readonly Widget[]): Json {
  const ids = new Map(part.map(({ panel, id }) => [panel, id]))
  const widgets = part.map(({ id, made, query }) => [
    id,
    query === null ? made.widget : { ...made.widget, dataQueryId: query },
  ])
  const pages = pagesOf(part).map((items, index) => ({
    id: index === 0 ? 'main' : `page-${index + 1}`,
    title: index === 0 ? '' : String(index + 1),
    items: items.map(({ panel, place }) => ({ widget: ids.get(panel) ?? '', ...place })),
  }))
  return { widgets: Object.fromEntries(widgets) as Json, pages }
}

function reportOf({ panel, id, made }: Widget, urlName: string): PanelReport {
  const number = numberAt(panel, 'id', 0)
  return {
    id: Number.isInteger(number) && number > 0 ? number : null,
    title: titleOf(textAt(panel, 'title')),
    type: typeOf(panel),
    urlName,
    widget: id,
    outcome: made.outcome,
    notes: made.notes,
  }
}

function queriesOf(widgets: readonly Widget[], dataSource: string | null): ExportView['dataQueries'] {
  return widgets.flatMap(({ made, query }) =>
    made.sql === null || query === null || dataSource === null
      ? []
      : [
          {
            name: query,
            description: '',
            dataSource,
            text: made.sql,
            parameters: [],
            accessibleFromDashboards: false,
          },
        ],
  )
}

function nameOf(dashboard: Json): string {
  const title = titleOf(textAt(dashboard, 'title')).normalize('NFC')
  return isVisible(title) && isInReadingOrder(title) ? title : 'Dashboard'
}

/** The same file has the same uuid, so that importing it again finds the dashboard. */
async function uuidOf(dashboard: Json, name: string, index: number): Promise<string> {
  const digest = await sha256(`grafana ${textAt(dashboard, 'uid') || name} ${index}`)
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 3) | 8).toString(16)
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

function leftOut(dashboard: Json, parts: number): string[] {
  const annotations = recordsAt(recordAt(dashboard, 'annotations'), 'list').filter(
    ({ builtIn }) => builtIn !== 1 && builtIn !== true,
  )
  const tags = Array.isArray(dashboard['tags']) ? dashboard['tags'].map((tag) => titleOf(String(tag))) : []
  return [
    ...annotations.map((one) => `The annotation ${titleOf(textAt(one, 'name'))} was left out.`),
    ...recordsAt(dashboard, 'links').map(
      (one) => `The link ${titleOf(textAt(one, 'title') || textAt(one, 'type'))} was left out.`,
    ),
    ...(tags.length > 0 ? [`The tags ${tags.join(', ')} were left out.`] : []),
    ...(parts > 1 ? [`The panels are more than one dashboard holds: they became ${parts} dashboards.`] : []),
  ]
}
