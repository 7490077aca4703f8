import { ByteCache } from './byte-cache.ts'
import { addDataPoint } from './otlp-point.ts'
import type { DataPoint, Kind } from './otlp-point.ts'
import { note, Points } from './points.ts'
import type { Naming, Point } from './points.ts'
import { Wire } from './wire.ts'

/** The fields of a metric that hold its data. */
const KINDS: Readonly<Record<number, Kind>> = {
  5: 'gauge',
  7: 'sum',
  9: 'histogram',
  10: 'exponentialHistogram',
  11: 'summary',
}

/** The field numbers of attributes and flags in a data point; its other fields have the same numbers in every kind. */
const PLACES: Readonly<Record<Kind, { readonly attributes: number; readonly flags: number }>> = {
  gauge: { attributes: 7, flags: 8 },
  sum: { attributes: 7, flags: 8 },
  histogram: { attributes: 9, flags: 10 },
  exponentialHistogram: { attributes: 1, flags: 10 },
  summary: { attributes: 7, flags: 8 },
}

type About = { readonly metric: string; readonly kind: Kind; readonly resource: Naming }

/** The data points of an OTLP `ExportMetricsServiceRequest` in protobuf.
 * @throws {Refusal} bad_request when the body is not such a message, too_large */
export function readOtlpProtobuf(body: Uint8Array): readonly Point[] {
  const points = new Points()
  const request = Wire.of(body)
  request.fields((field) => {
    if (field === 1) readResource(request.message(), points)
  })
  return points.all
}

function readResource(wire: Wire, points: Points): void {
  const resource: Naming = { job: null, value: null }
  // Fields come in any order: those that name the rest are read first.
  wire.fields((field) => {
    if (field !== 1) return
    const attributes = wire.message()
    attributes.fields((inner) => {
      if (inner === 1) readAttribute(attributes.message(), resource)
    })
  })
  wire.fields((field) => {
    if (field !== 2) return
    const scope = wire.message()
    scope.fields((inner) => {
      if (inner === 2) readMetric(scope.message(), resource, points)
    })
  })
}

function readMetric(wire: Wire, resource: Naming, points: Points): void {
  let metric = ''
  wire.fields((field) => {
    if (field === 1) metric = wire.text()
  })
  wire.fields((field) => {
    const kind = KINDS[field]
    if (kind === undefined) return
    const data = wire.message()
    data.fields((inner) => {
      if (inner !== 1) return
      const about: About = { metric, kind, resource }
      addDataPoint(points, about, readDataPoint(data.message(), kind))
    })
  })
}

function readDataPoint(wire: Wire, kind: Kind): DataPoint {
  const { attributes, flags } = PLACES[kind]
  const naming = wire.cached(known, attributes, () => readAttributes(wire, attributes))
  const isNumber = kind === 'gauge' || kind === 'sum'
  // Protobuf omits a number that is 0; only histograms can omit the sum.
  const point = {
    naming,
    at: null as number | null,
    number: null as number | null,
    count: 0,
    sum: null as number | null,
    flags: 0,
  }
  if (kind === 'summary') point.sum = 0
  wire.fields((field) => {
    if (field === flags) point.flags = wire.integer()
    else if (field === 3) point.at = wire.milliseconds()
    else if (isNumber && field === 4) point.number = wire.double()
    else if (isNumber && field === 6) point.number = wire.signedFixed64()
    else if (!isNumber && field === 4) point.count = Number(wire.fixed64())
    else if (!isNumber && field === 5) point.sum = wire.double()
  })
  return point
}

const known = new ByteCache<Naming>()

function readAttributes(wire: Wire, place: number): Naming {
  const naming: Naming = { job: null, value: null }
  wire.fields((field) => {
    if (field === place) readAttribute(wire.message(), naming)
  })
  return naming
}

function readAttribute(wire: Wire, naming: Naming): void {
  let key = ''
  let text = ''
  wire.fields((field) => {
    if (field === 1) key = wire.text()
    if (field !== 2) return
    const value = wire.message()
    value.fields((inner) => {
      if (inner === 1) text = value.text()
      if (inner === 3) text = String(value.integer())
    })
  })
  note(naming, key, text)
}
