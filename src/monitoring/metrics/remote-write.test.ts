import { describe, expect, test } from 'bun:test'

import { PbfWriter } from 'pbf'

import { POINTS_MAX } from './points.ts'
import type { Point } from './points.ts'
import { readRemoteWrite } from './remote-write.ts'
import { unsnappy } from './snappy.ts'

/** A request of Prometheus 2.42.0 after its first scrape of six lines, as it was sent. */
const SENT =
  '0QjwdQptChwKCF9fbmFtZV9fEhByb29tX3RlbXBlcmF0dXJlChsKCGluc3RhbmNlEg8xMjcuMC4wLjE6MzcyNjMKCwoDam9iEgR0ZXN0ChEKDHRpZGVtYXJrX2pvYhIBMxIQCQAAAAAAgDVAENXysfCfNApNCg8KCF8RbwwDYmFkpmIAEBIQCQEAAQEM+H8Q1VZPAARpZ7JPAAFNCAAA8BVPCFsKFD0NIAhoX2J1Y2tldKZUACgKBwoCbGUSATESEA1dBABAEawAXu5dAAVdAAoFXRAEK0luZhVgAAgVYAhPChEdvRQFaF9zdW2mugAVUQASFVEIUQoTHVEYB2hfY291bqoNARVTGaQITAoOHVMIAnVwyqEABPA/MVIIYQojHU5cF3NjcmFwZV9kdXJhdGlvbl9zZWNvbmRzsmMAGAaLB7dczU8VYwhgCiIdYwAWDWMcc2FtcGxlc18JD7bDAkl0ABw1ZghvCjEdYgAlCVMVYlBwb3N0X21ldHJpY19yZWxhYmVsaW7O5QIZcQhdCh8dcQATEXEgZXJpZXNfYWRk9tAA'

const body = unsnappy(
  Uint8Array.from(atob(SENT), (character) => character.charCodeAt(0)),
  10_000,
)
const points = readRemoteWrite(body)

const short = ({ metric, job, numbers }: Point) => [metric, job, numbers[0]?.number]

describe('a request of Prometheus', () => {
  test('contains every sample with its metric, its job and its instant', () => {
    expect(points.map(short).slice(0, 7)).toEqual([
      ['room_temperature', '3', 21.5],
      ['bad', null, Number.NaN],
      ['big', null, Number.POSITIVE_INFINITY],
      ['h_bucket', null, 2],
      ['h_bucket', null, 3],
      ['h_sum', null, 4.5],
      ['h_count', null, 3],
    ])
    expect(points.slice(7).map(({ metric }) => metric)).toEqual([
      'up',
      'scrape_duration_seconds',
      'scrape_samples_scraped',
      'scrape_samples_post_metric_relabeling',
      'scrape_series_added',
    ])
    expect(points.map(({ series }) => series)).toEqual(points.map((_, index) => index))
    const [first] = points
    expect(new Date(first?.at ?? 0).toISOString()).toStartWith('2026-11-21T')
    expect(new Set(points.map(({ at }) => at)).size).toBe(1)
    expect(points.every(({ fault, value }) => fault === null && value === null)).toBe(true)
  })

  test('may contain metadata only', () => {
    const pbf = new PbfWriter()
    pbf.writeBytesField(3, Uint8Array.from([8, 1]))
    expect(readRemoteWrite(pbf.finish())).toEqual([])
    expect(readRemoteWrite(new Uint8Array())).toEqual([])
  })
})

type Labels = Readonly<Record<string, string>>

function seriesOf(
  labels: Labels,
  samples: readonly [value: number, at: number][],
  labelsLast = false,
): Uint8Array {
  const series = new PbfWriter()
  const writeLabels = () => {
    for (const [name, value] of Object.entries(labels)) {
      series.writeMessage(
        1,
        (_, pbf) => {
          pbf.writeStringField(1, name)
          pbf.writeStringField(2, value)
        },
        null,
      )
    }
  }
  if (!labelsLast) writeLabels()
  for (const [value, at] of samples) {
    series.writeMessage(
      2,
      (_, pbf) => {
        pbf.writeDoubleField(1, value)
        pbf.writeVarintField(2, at)
      },
      null,
    )
  }
  if (labelsLast) writeLabels()
  const request = new PbfWriter()
  request.writeBytesField(1, series.finish())
  return request.finish()
}

describe('a series', () => {
  test.each([
    ['tidemark_job', 'tidemark_value'],
    ['tidemark.job', 'tidemark.value'],
  ])('names its job by %s and its value by %s, in any order of labels', (job, value) => {
    const labels = { __name__: 'm', [job]: '7', [value]: 'returnValue2', other: 'x' }
    for (const labelsLast of [false, true]) {
      expect(
        readRemoteWrite(
          seriesOf(
            labels,
            [
              [1.5, 1000],
              [-2, -1],
            ],
            labelsLast,
          ),
        ),
      ).toEqual([
        {
          series: 0,
          metric: 'm',
          job: '7',
          value: 'returnValue2',
          at: 1000,
          numbers: [{ suffix: '', number: 1.5 }],
          fault: null,
        },
        {
          series: 0,
          metric: 'm',
          job: '7',
          value: 'returnValue2',
          at: -1,
          numbers: [{ suffix: '', number: -2 }],
          fault: null,
        },
      ])
    }
  })

  test('has no job if the label is empty', () => {
    const [point] = readRemoteWrite(seriesOf({ __name__: 'm', tidemark_job: '' }, [[1, 1]]))
    expect(point?.job).toBeNull()
  })

  test('has a fault if it is a native histogram', () => {
    const request = new PbfWriter()
    request.writeBytesField(1, Uint8Array.from([0x22, 0]))
    const [point] = readRemoteWrite(request.finish())
    expect(point?.fault).toBe('native histograms are not supported')
  })

  test(`has at most ${POINTS_MAX} samples`, () => {
    const samples = (count: number) => Uint8Array.from(Array<number[]>(count).fill([0x12, 0]).flat())
    const request = (count: number) => {
      const pbf = new PbfWriter()
      pbf.writeBytesField(1, samples(count))
      return pbf.finish()
    }
    expect(readRemoteWrite(request(POINTS_MAX))).toHaveLength(POINTS_MAX)
    expect(() => readRemoteWrite(request(POINTS_MAX + 1))).toThrow('too_large')
  })
})

describe('corrupted bytes', () => {
  test('are read or rejected when truncated anywhere, and cause no other error', () => {
    let refused = 0
    for (let end = 0; end < body.length; end++) refused += isRefused(body.subarray(0, end)) ? 1 : 0
    // A truncated request is complete only between two series.
    expect(body.length - refused).toBe(points.length)
  })

  test('are read or rejected when any byte is changed', () => {
    for (let at = 0; at < body.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const other = body.slice()
        other[at] = (other[at] ?? 0) ^ flip
        expect([true, false]).toContain(isRefused(other))
      }
    }
  })
})

function isRefused(bytes: Uint8Array): boolean {
  try {
    readRemoteWrite(bytes)
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_request' })
    return true
  }
}
