import { pointerOf } from '../../lib/pointer.ts'
import type { Definition } from './definition.ts'
import type { ObjectsOf, Widget, WidgetKind, WidgetOf } from './widgets.ts'

export const REFERENCE_KINDS = ['object', 'dataQuery', 'script', 'dashboard', 'file', 'forecast'] as const
export type ReferenceKind = (typeof REFERENCE_KINDS)[number]

/** Something that a dashboard shows or uses. */
export type Reference = {
  /** Below the definition. */
  readonly pointer: string
  /** Empty for parameters and the style. */
  readonly widgetId: string
  readonly title: string
  readonly kind: ReferenceKind
  /** 0 for a file. */
  readonly targetId: number
  /** The name of a file; else empty. */
  readonly targetName: string
}

type Path = readonly (string | number)[]
type Target = {
  readonly kind: ReferenceKind
  readonly id?: number
  readonly name?: string
  readonly path: Path
}
/** Ids that are null are left out. */
type Found = { readonly kind: ReferenceKind; readonly id: number | null; readonly path: Path }

/** The images of a Markdown text that are files of the service. */
const FILE_IMAGE = /!\[[^\]]*\]\((?:\/files\/|files\/)([^)\s/?#]+)\)/g

/** All that a definition refers to. */
export function referencesOf({ widgets, parameters, style }: Definition): Reference[] {
  const ofWidgets = Object.entries(widgets).flatMap(([widgetId, widget]) =>
    targetsOf(widget).map(({ path, ...target }) => ({
      ...target,
      widgetId,
      title: widget.title,
      path: ['widgets', widgetId, ...path],
    })),
  )
  const ofParameters = present(
    parameters.map(({ valuesQueryId: id }, index) => ({
      kind: 'dataQuery',
      id,
      path: ['parameters', index, 'valuesQueryId'],
    })),
  )
  const ofStyle: Target[] =
    style.file === null ? [] : [{ kind: 'file', name: style.file, path: ['style', 'file'] }]
  const outside = [...ofParameters, ...ofStyle].map((target) => ({ ...target, widgetId: '', title: '' }))
  return [...ofWidgets, ...outside].map(({ kind, id = 0, name = '', path, widgetId, title }) => ({
    pointer: pointerOf(path),
    widgetId,
    title,
    kind,
    targetId: id,
    targetName: name,
  }))
}

/** The pointers of references that an import left without a target. */
export function missingIn({ widgets }: Definition): string[] {
  return Object.entries(widgets).flatMap(([widgetId, widget]) =>
    foundIn(widget)
      .filter(({ id }) => id === null)
      .map(({ path }) => pointerOf(['widgets', widgetId, ...path])),
  )
}

function targetsOf(widget: Widget): Target[] {
  return [...present(foundIn(widget)), ...filesOf(widget)]
}

function present(found: readonly Found[]): Target[] {
  return found.flatMap(({ kind, id, path }) => (id === null ? [] : [{ kind, id, path }]))
}

function foundIn(widget: Widget): Found[] {
  return [...ownOf(widget), ...linkOf(widget)]
}

function linkOf(widget: Widget): Found[] {
  if (widget.kind === 'unknown' || widget.link === null || !('dashboardId' in widget.link)) return []
  return [{ kind: 'dashboard', id: widget.link.dashboardId, path: ['link', 'dashboardId'] }]
}

function ownOf(widget: Widget): Found[] {
  const find = FINDERS[widget.kind] as ((one: Widget) => Found[]) | undefined
  return find?.(widget) ?? []
}

const query = (id: number | null, path: Path): Found => ({ kind: 'dataQuery', id, path })
const object = (id: number | null, path: Path): Found => ({ kind: 'object', id, path })

/** The kinds with references. */
const FINDERS: { readonly [Kind in WidgetKind]?: (widget: WidgetOf<Kind>) => Found[] } = {
  value: ({ source }) => {
    if (source.type === 'job') return [object(source.jobId, ['source', 'jobId'])]
    if (source.type === 'dataQuery') return [query(source.dataQueryId, ['source', 'dataQueryId'])]
    return predicted(source, 'source')
  },
  history: ({ series, forecast }) => [
    ...series.map(({ jobId }, index) => object(jobId, ['series', index, 'jobId'])),
    ...predicted(forecast),
  ],
  chart: ({ dataQueryId, forecast }) => [query(dataQueryId, ['dataQueryId']), ...predicted(forecast)],
  table: ({ objects: shown, dataQueryId }) =>
    shown === null ? [query(dataQueryId, ['dataQueryId'])] : objects(shown, ['objects']),
  states: (widget) => objects(widget.objects, ['objects']),
  slo: ({ objectId }) => [object(objectId, ['objectId'])],
  map: ({ points }) =>
    points.type === 'objects'
      ? objects(points.objects, ['points', 'objects'])
      : [query(points.dataQueryId, ['points', 'dataQueryId'])],
  image: ({ hotspots }) =>
    hotspots.map(({ objectId }, index) => object(objectId, ['hotspots', index, 'objectId'])),
  script: ({ scriptId: id }) => [{ kind: 'script', id, path: ['scriptId'] }],
  dashboard: ({ dashboardId: id }) => [{ kind: 'dashboard', id, path: ['dashboardId'] }],
}

function predicted(of: { readonly forecastId: number | null } | null, field = 'forecast'): Found[] {
  return of ? [{ kind: 'forecast', id: of.forecastId, path: [field, 'forecastId'] }] : []
}

function objects({ ids, groupId }: ObjectsOf, path: Path): Found[] {
  return [
    ...ids.map((id, index) => object(id, [...path, 'ids', index])),
    ...(groupId === null ? [] : [object(groupId, [...path, 'groupId'])]),
  ]
}

function filesOf(widget: Widget): Target[] {
  if (widget.kind === 'image') return [{ kind: 'file', name: widget.file, path: ['file'] }]
  if (widget.kind !== 'text') return []
  return [...widget.markdown.matchAll(FILE_IMAGE)].map(([, name = ''], index) => ({
    kind: 'file',
    name: decoded(name),
    path: ['markdown', index],
  }))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return name
  }
}
