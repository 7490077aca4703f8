import { ByteCache } from './byte-cache.ts'
import { note, Points } from './points.ts'
import type { Naming, Point } from './points.ts'
import { Wire } from './wire.ts'

const NATIVE_HISTOGRAM = 'native histograms are not supported'

/** The samples of a Prometheus remote write request, version 1.0, after decompression.
 * @throws {Refusal} bad_request when the body is not such a message, too_large */
export function readRemoteWrite(body: Uint8Array): readonly Point[] {
  const points = new Points()
  const request = Wire.of(body)
  let series = 0
  request.fields((field) => {
    if (field === 1) readSeries(request.message(), series++, points)
  })
  return points.all
}

type Labels = { readonly metric: string; readonly job: string | null; readonly value: string | null }

const known = new ByteCache<Labels>()

function readSeries(wire: Wire, series: number, points: Points): void {
  // Labels can come after their samples.
  const { metric, job, value } = wire.cached(known, 1, () => readLabels(wire))
  wire.fields((field) => {
    if (field === 2) {
      const { at, numbers } = readSample(wire.message())
      points.add({ series, metric, job, value, at, numbers, fault: null })
    }
    if (field === 4)
      points.add({ series, metric, job, value, at: null, numbers: [], fault: NATIVE_HISTOGRAM })
  })
}

function readLabels(wire: Wire): Labels {
  const naming: Naming = { job: null, value: null }
  let metric = ''
  wire.fields((field) => {
    if (field !== 1) return
    const [name, text] = readLabel(wire.message())
    if (name === '__name__') metric = text
    else note(naming, name, text)
  })
  return { metric, ...naming }
}

function readLabel(wire: Wire): [name: string, text: string] {
  let name = ''
  let text = ''
  wire.fields((field) => {
    if (field === 1) name = wire.text()
    if (field === 2) text = wire.text()
  })
  return [name, text]
}

function readSample(wire: Wire): Pick<Point, 'at' | 'numbers'> {
  let number = 0
  let at = 0
  wire.fields((field) => {
    if (field === 1) number = wire.double()
    if (field === 2) at = wire.integer()
  })
  return { at, numbers: [{ suffix: '', number }] }
}
