import { addDataPoint } from './otlp-point.ts'
import type { DataPoint, Kind } from './otlp-point.ts'
import { malformed, note, PARTS_MAX, Points, tooManyParts } from './points.ts'
import type { Naming, Point } from './points.ts'
import { plainPoint } from './plain-point.ts'
import { attribute, countedPoint, numberPoint, requestFrame } from './schema.ts'
import type { Attribute, CountedPoint, Metric, NumberPoint } from './schema.ts'

/** The data points of an OTLP `ExportMetricsServiceRequest` in JSON. A point that cannot be read has a fault.
 * @throws {Refusal} bad_request when the body is not such a message, too_large */
export function readOtlpJson(body: Uint8Array): readonly Point[] {
  if (countParts(body) > PARTS_MAX) throw tooManyParts()
  const result = requestFrame.safeParse(parse(body))
  if (!result.success) throw malformed(misfit(result.error))
  const points = new Points()
  for (const { resource, scopeMetrics } of result.data.resourceMetrics ?? []) {
    const naming = namingOf((resource?.attributes ?? []).map((one) => attribute.safeParse(one).data ?? {}))
    for (const { metrics } of scopeMetrics ?? []) {
      for (const metric of metrics ?? []) readMetric(metric, naming, points)
    }
  }
  return points.all
}

function misfit({
  issues,
}: {
  readonly issues: readonly { readonly path: readonly PropertyKey[] }[]
}): string {
  return `/${issues[0]?.path.join('/') ?? ''} does not match the OTLP schema`
}

/** An upper bound of the objects and lists in the text. Those inside strings are counted too, so that no parser is
 * needed. */
function countParts(body: Uint8Array): number {
  let count = 0
  for (let at = 0; at < body.length; at++) if (body[at] === OBJECT || body[at] === LIST) count++
  return count
}

const OBJECT = 0x7b
const LIST = 0x5b

function parse(body: Uint8Array): unknown {
  try {
    const text = UTF8.decode(body)
    return SNAKE_CASE.test(text) ? JSON.parse(text, inCamelCase) : JSON.parse(text)
  } catch {
    // The text is not UTF-8, not JSON, or nested deeper than the engine's stack.
    throw malformed('the body is not valid JSON')
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The fields that are read, by their names in the protobuf files, which ProtoJSON allows as well. */
const SNAKE_NAMES: Readonly<Record<string, string>> = {
  resource_metrics: 'resourceMetrics',
  scope_metrics: 'scopeMetrics',
  exponential_histogram: 'exponentialHistogram',
  data_points: 'dataPoints',
  time_unix_nano: 'timeUnixNano',
  as_double: 'asDouble',
  as_int: 'asInt',
  string_value: 'stringValue',
  int_value: 'intValue',
}
const SNAKE_CASE = new RegExp(`"(?:${Object.keys(SNAKE_NAMES).join('|')})"`)

function inCamelCase(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [SNAKE_NAMES[name] ?? name, inner]))
}

function readMetric(metric: Metric, resource: Naming, points: Points): void {
  const name = metric.name ?? ''
  for (const kind of KINDS) {
    for (const given of metric[kind]?.dataPoints ?? []) {
      const point = isMeasured(kind) ? measured(given) : counted(given, kind)
      if (typeof point === 'string') points.add(unread(points, name, point))
      else addDataPoint(points, { metric: name, resource, kind }, point)
    }
  }
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const

function isMeasured(kind: Kind): boolean {
  return kind === 'gauge' || kind === 'sum'
}

function unread(points: Points, metric: string, fault: string): Point {
  return { series: points.all.length, metric, job: null, value: null, at: null, numbers: [], fault }
}

/** A point of a gauge or a sum, or the fault that prevents reading it. */
function measured(given: unknown): DataPoint | string {
  const plain = plainPoint(given)
  if (plain) return plain
  const { data, error } = numberPoint.safeParse(given)
  if (!data) return misfit(error)
  const number = data.asDouble ?? data.asInt
  return { ...common(data), number: number == null ? null : Number(number), count: 0, sum: null }
}

/** A point of a histogram or a summary, or the fault that prevents reading it. */
function counted(given: unknown, kind: Kind): DataPoint | string {
  const { data, error } = countedPoint.safeParse(given)
  if (!data) return misfit(error)
  // As in protobuf, an absent sum of a summary is zero.
  const sum = data.sum ?? (kind === 'summary' ? 0 : null)
  return { ...common(data), number: null, count: Number(data.count ?? 0), sum }
}

const NS_PER_MS = 1_000_000n

function common({
  attributes,
  timeUnixNano,
  flags,
}: NumberPoint | CountedPoint): Pick<DataPoint, 'naming' | 'at' | 'flags'> {
  const time = timeUnixNano ?? 0n
  const at = time === 0n ? null : Number(time / NS_PER_MS)
  return { naming: namingOf(attributes ?? []), at, flags: Number(flags ?? 0n) }
}

function namingOf(attributes: readonly Attribute[]): Naming {
  const naming: Naming = { job: null, value: null }
  for (const { key, value } of attributes) {
    note(naming, key ?? '', String(value?.stringValue ?? value?.intValue ?? ''))
  }
  return naming
}
