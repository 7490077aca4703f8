import { addDataPoint } from './otlp-point.ts'
import type { DataPoint } from './otlp-point.ts'
import { malformed, note, PARTS_MAX, Points, tooManyParts } from './points.ts'
import type { Naming, Point } from './points.ts'
import { exportRequest } from './schema.ts'
import type { Attributes, CountedPoint, Metric, NumberPoint } from './schema.ts'

/** The data points of an OTLP `ExportMetricsServiceRequest` in JSON.
 * @throws {Refusal} bad_request when it is no such message, too_large */
export function readOtlpJson(body: Uint8Array): readonly Point[] {
  if (countParts(body) > PARTS_MAX) throw tooManyParts()
  const result = exportRequest.safeParse(parse(body))
  if (!result.success) {
    const path = result.error.issues[0]?.path.join('/') ?? ''
    throw malformed(`/${path} is not what OTLP has there`)
  }
  const points = new Points()
  for (const { resource, scopeMetrics } of result.data.resourceMetrics ?? []) {
    const naming = namingOf(resource?.attributes)
    for (const { metrics } of scopeMetrics ?? []) {
      for (const metric of metrics ?? []) readMetric(metric, naming, points)
    }
  }
  return points.all
}

/** How many objects and lists the text can hold: those in texts are counted too, which needs no parser. */
function countParts(body: Uint8Array): number {
  let count = 0
  for (let at = 0; at < body.length; at++) if (body[at] === OBJECT || body[at] === LIST) count++
  return count
}

const OBJECT = 0x7b
const LIST = 0x5b

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(body))
  } catch {
    // A text that is no UTF-8, no JSON, or nested deeper than the engine's stack.
    throw malformed('it is not JSON')
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function readMetric(metric: Metric, resource: Naming, points: Points): void {
  const about = { metric: metric.name ?? '', resource }
  for (const kind of ['gauge', 'sum'] as const) {
    for (const point of metric[kind]?.dataPoints ?? [])
      addDataPoint(points, { ...about, kind }, measured(point))
  }
  for (const kind of ['histogram', 'exponentialHistogram', 'summary'] as const) {
    // As in protobuf, a summary without a sum is one whose sum is nought.
    const noSum = kind === 'summary' ? 0 : null
    for (const point of metric[kind]?.dataPoints ?? [])
      addDataPoint(points, { ...about, kind }, counted(point, noSum))
  }
}

function measured(point: NumberPoint): DataPoint {
  const number = point.asDouble ?? point.asInt
  return { ...common(point), number: number == null ? null : Number(number), count: 0, sum: null }
}

function counted(point: CountedPoint, noSum: number | null): DataPoint {
  const sum = point.sum == null ? noSum : Number(point.sum)
  return { ...common(point), number: null, count: Number(point.count ?? 0), sum }
}

function common({
  attributes,
  timeUnixNano,
  flags,
}: NumberPoint | CountedPoint): Pick<DataPoint, 'naming' | 'time' | 'flags'> {
  return { naming: namingOf(attributes), time: BigInt(timeUnixNano ?? 0), flags: flags ?? 0 }
}

function namingOf(attributes: Attributes): Naming {
  const naming: Naming = { job: null, value: null }
  for (const { key, value } of attributes ?? []) {
    note(naming, key ?? '', String(value?.stringValue ?? value?.intValue ?? ''))
  }
  return naming
}
