import { PbfWriter } from 'pbf'

/** One series of a remote write request. */
export type Series = {
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly (readonly [value: number, at: number])[]
}

/** A remote write request before Snappy. */
export function writeRequest(all: readonly Series[]): Uint8Array<ArrayBuffer> {
  const request = new PbfWriter()
  for (const { labels, samples } of all) {
    const series = new PbfWriter()
    for (const [name, value] of Object.entries(labels)) {
      const label = new PbfWriter()
      label.writeStringField(1, name)
      label.writeStringField(2, value)
      series.writeBytesField(1, label.finish())
    }
    for (const [value, at] of samples) {
      const sample = new PbfWriter()
      sample.writeDoubleField(1, value)
      sample.writeVarintField(2, at)
      series.writeBytesField(2, sample.finish())
    }
    request.writeBytesField(1, series.finish())
  }
  return Uint8Array.from(request.finish())
}

/** A Snappy block of literals alone, which may say another length than it has. */
export function snappyOf(bytes: Uint8Array, length = bytes.length): Uint8Array<ArrayBuffer> {
  const block: number[] = varint(length)
  for (let at = 0; at < bytes.length; at += 65_536) {
    const part = bytes.subarray(at, at + 65_536)
    block.push(61 << 2, (part.length - 1) & 255, (part.length - 1) >> 8)
    for (const byte of part) block.push(byte)
  }
  return Uint8Array.from(block)
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [128 + (number % 128), ...varint(Math.floor(number / 128))]
}

/** A gauge of one data point in an OTLP request; `at` is in epoch ms. */
export function gaugeRequest(
  jobId: number | string | null,
  name: string,
  point: object,
  at = Date.now(),
): object {
  const attributes = jobId === null ? [] : [{ key: 'tidemark.job', value: { stringValue: String(jobId) } }]
  const dataPoints = [{ timeUnixNano: `${at}000000`, ...point }]
  return {
    resourceMetrics: [
      { resource: { attributes }, scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] },
    ],
  }
}
