import { sorted } from '../canonical.ts'
import type { ReferenceKind } from '../references.ts'

type Json = Readonly<Record<string, unknown>>
type Pattern = {
  readonly kind: Exclude<ReferenceKind, 'file'> | 'dataSource'
  readonly path: readonly string[]
}

const pattern = (kind: Pattern['kind'], path: string): Pattern => ({ kind, path: path.split('.') })

/** The places of ids in a definition; `*` stands for every key. Names of files stay as they are. */
const PATTERNS: readonly Pattern[] = [
  pattern('object', 'widgets.*.source.jobId'),
  pattern('dataQuery', 'widgets.*.source.dataQueryId'),
  pattern('object', 'widgets.*.series.*.jobId'),
  pattern('dataQuery', 'widgets.*.dataQueryId'),
  pattern('forecast', 'widgets.*.forecast.forecastId'),
  pattern('forecast', 'widgets.*.source.forecastId'),
  pattern('object', 'widgets.*.objects.ids.*'),
  pattern('object', 'widgets.*.objects.groupId'),
  pattern('dataQuery', 'widgets.*.points.dataQueryId'),
  pattern('object', 'widgets.*.points.objects.ids.*'),
  pattern('object', 'widgets.*.points.objects.groupId'),
  pattern('object', 'widgets.*.objectId'),
  pattern('object', 'widgets.*.hotspots.*.objectId'),
  pattern('script', 'widgets.*.scriptId'),
  pattern('dashboard', 'widgets.*.dashboardId'),
  pattern('dashboard', 'widgets.*.link.dashboardId'),
  pattern('dataQuery', 'parameters.*.valuesQueryId'),
]

/** The places of ids in the definition of a forecast. */
const FORECAST_PATTERNS: readonly Pattern[] = [
  pattern('object', 'source.jobId'),
  pattern('dataQuery', 'source.dataQueryId'),
  pattern('dataSource', 'source.dataSourceId'),
  pattern('object', 'bands.*.jobId'),
]

/** Replaces the value of a reference; `widget` is empty outside of widgets. */
export type Replace = (kind: Pattern['kind'], value: unknown, widget: string) => unknown

/** A definition with each reference replaced. References that are null are left out. */
export function mapReferences(definition: Json, replace: Replace): Json {
  return mapped(definition, PATTERNS, replace)
}

/** As `mapReferences`, for the definition of a forecast. */
export function mapForecastReferences(definition: Json, replace: Replace): Json {
  return mapped(definition, FORECAST_PATTERNS, replace)
}

function mapped(definition: Json, patterns: readonly Pattern[], replace: Replace): Json {
  const copy = structuredClone(definition)
  for (const { kind, path } of patterns) visit(copy, path, { kind, replace, widget: '' })
  return copy
}

type Visit = { readonly kind: Pattern['kind']; readonly replace: Replace; readonly widget: string }

function visit(node: unknown, [key = '', ...rest]: readonly string[], at: Visit): void {
  if (typeof node !== 'object' || node === null) return
  const record = node as Record<string, unknown>
  const keys = key === '*' ? Object.keys(record) : [key].filter((name) => Object.hasOwn(record, name))
  for (const name of keys) {
    // The first star is the id of a widget.
    const inside = at.widget === '' && key === '*' ? { ...at, widget: name } : at
    if (rest.length > 0) visit(record[name], rest, inside)
    else if (record[name] !== null) record[name] = at.replace(at.kind, record[name], inside.widget)
  }
}

/** The text of an export: keys in order, two spaces, and a line break at the end. */
export function textOf(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`
}
