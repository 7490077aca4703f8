import { expect, test } from 'bun:test'
import { csvOf } from './csv.ts'
import type { SeriesView } from './schema.ts'

const SERIES: Omit<SeriesView, 'values'> = {
  jobId: 7,
  key: 'returnValue1',
  name: 'Round trip',
  unit: 'ms',
  precision: null,
  mode: 'avg',
  scale: 'PT1H',
  begin: '2026-03-02T09:00:00+01:00',
  end: '2026-03-02T11:00:00+01:00',
}

test('buckets become one row each, an empty one without a value', () => {
  const values = [
    { timestamp: '2026-03-02T09:00:00+01:00', value: 12.5, min: 12, max: 13, count: 2 },
    { timestamp: '2026-03-02T10:00:00+01:00', value: null, min: null, max: null, count: 0 },
  ]
  expect(csvOf([{ ...SERIES, values }])).toBe(
    'jobId,key,timestamp,value,min,max,count\r\n' +
      '7,returnValue1,2026-03-02T09:00:00+01:00,12.5,12,13,2\r\n' +
      '7,returnValue1,2026-03-02T10:00:00+01:00,,,,0\r\n',
  )
})

test('text is quoted where it has to be, and nothing becomes a formula', () => {
  const at = '2026-03-02T09:00:00+01:00'
  const rowOf = (value: string) => {
    const text = csvOf([{ ...SERIES, key: 'stringValue1', values: [{ timestamp: at, value }] }])
    return text.split('\r\n').slice(1).join('\r\n').slice(`7,stringValue1,${at},`.length, -',,,\r\n'.length)
  }
  expect(rowOf('plain')).toBe('plain')
  expect(rowOf('a,b')).toBe('"a,b"')
  expect(rowOf('say "hi"')).toBe('"say ""hi"""')
  expect(rowOf('two\r\nlines')).toBe('"two\r\nlines"')
  for (const start of ['=', '+', '-', '@', '\t']) expect(rowOf(`${start}1+1`)).toBe(`'${start}1+1`)
  expect(csvOf([{ ...SERIES, values: [{ timestamp: at, value: -5 }] }])).toContain(',-5,')
})
