import { expect, test } from 'bun:test'

import { axesInUrl, axesOf, chartedOf, extentOf } from './charted.ts'

const LEVELS = {
  columns: [
    { name: 'station', type: 'string' },
    { name: 'at', type: 'datetime' },
    { name: 'level', type: 'number' },
    { name: 'count', type: 'integer' },
  ],
  rows: [
    ['Harlingen', '2026-11-25T12:00:00Z', '2.5', 3],
    ['Den Oever', '2026-11-25T10:00:00Z', null, 4],
    ['Texel', null, 1, 5],
  ],
} as const

test('unasked, numbers are shown over the first time, else the first text, else the first number', () => {
  const [station, at, level, count] = LEVELS.columns
  expect(axesOf(LEVELS.columns)).toEqual({ x: 'at', y: ['level', 'count'] })
  expect(axesOf([level, station])).toEqual({ x: 'station', y: ['level'] })
  expect(axesOf([level, count])).toEqual({ x: 'level', y: ['count'] })
  expect(axesOf([station, at])).toBeNull()
  expect(axesOf([level])).toBeNull()
})

test('the address names the axes; columns that are gone are left out', () => {
  expect(axesInUrl({ x: 'station', y: '["count"]' }, LEVELS.columns)).toEqual({ x: 'station', y: ['count'] })
  expect(axesInUrl({ x: 'gone', y: '["gone","station"]' }, LEVELS.columns)).toEqual({
    x: 'at',
    y: ['level', 'count'],
  })
  expect(axesInUrl({ x: '', y: 'no JSON' }, LEVELS.columns)).toEqual({ x: 'at', y: ['level', 'count'] })
})

test('lines are in the order of time, decimals of a database are numbers, and rows without a time are counted', () => {
  expect(chartedOf(LEVELS, { x: 'at', y: ['level', 'count'] })).toEqual({
    kind: 'time',
    x: 'at',
    at: [Date.parse('2026-11-25T10:00:00Z'), Date.parse('2026-11-25T12:00:00Z')],
    labels: [],
    series: [
      { name: 'level', values: [null, 2.5] },
      { name: 'count', values: [4, 3] },
    ],
    leftOut: 1,
  })
})

test('bars are in the order of the rows, and as many as can be read', () => {
  const rows = Array.from({ length: 130 }, (_, at) => [`s${at}`, null, at, at])
  const charted = chartedOf({ ...LEVELS, rows }, { x: 'station', y: ['level'] })
  expect([charted.kind, charted.labels.length, charted.labels[1], charted.leftOut]).toEqual([
    'text',
    100,
    's1',
    30,
  ])
})

test('the extent of a series leaves nulls out', () => {
  expect(extentOf({ name: 'a', values: [null, 3, -1, null] })).toEqual({ min: -1, max: 3, last: -1 })
  expect(extentOf({ name: 'a', values: [null] })).toBeNull()
})
