import { PbfWriter } from 'pbf'

/** A data point of a gauge; `at` is in epoch ms. */
export type GaugePoint = {
  readonly attributes: Readonly<Record<string, string>>
  readonly value: number
  readonly at: number
}

const NS_PER_MS = 1_000_000n

/** An OTLP request of one gauge in protobuf. */
export function otlpProtobuf(name: string, points: readonly GaugePoint[]): Uint8Array<ArrayBuffer> {
  const gauge = new PbfWriter()
  for (const point of points) gauge.writeBytesField(1, dataPoint(point))
  const metric = new PbfWriter()
  metric.writeStringField(1, name)
  metric.writeBytesField(5, gauge.finish())
  const scopeMetrics = message(2, metric.finish())
  return Uint8Array.from(message(1, message(2, scopeMetrics)))
}

/** The same request in JSON. */
export function otlpJson(name: string, points: readonly GaugePoint[]): Uint8Array<ArrayBuffer> {
  const dataPoints = points.map(({ attributes, value, at }) => ({
    attributes: Object.entries(attributes).map(([key, text]) => ({ key, value: { stringValue: text } })),
    timeUnixNano: `${at}000000`,
    asDouble: value,
  }))
  const request = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] }] }
  return Uint8Array.from(new TextEncoder().encode(JSON.stringify(request)))
}

function dataPoint({ attributes, value, at }: GaugePoint): Uint8Array {
  const point = new PbfWriter()
  const ns = BigInt(at) * NS_PER_MS
  // A number in pbf has 53 bits only.
  point.writeTag(3, FIXED64)
  point.writeFixed32(Number(BigInt.asUintN(32, ns)))
  point.writeFixed32(Number(ns >> 32n))
  point.writeDoubleField(4, value)
  for (const [key, text] of Object.entries(attributes)) {
    const attribute = new PbfWriter()
    attribute.writeStringField(1, key)
    const anyValue = new PbfWriter()
    anyValue.writeStringField(1, text)
    attribute.writeBytesField(2, anyValue.finish())
    point.writeBytesField(7, attribute.finish())
  }
  return point.finish()
}

const FIXED64 = 1

function message(field: number, content: Uint8Array): Uint8Array {
  const outer = new PbfWriter()
  outer.writeBytesField(field, content)
  return outer.finish()
}
