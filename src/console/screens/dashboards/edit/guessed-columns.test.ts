import { expect, test } from 'bun:test'

import type { GridColumn } from '../../data/grid.tsx'
import type { Widget } from '../dashboard.ts'
import { queryOf, withGuessedColumns } from './guessed-columns.ts'

const widgetOf = (fields: object) => fields as unknown as Widget
const columns: readonly GridColumn[] = [
  { name: 'station', type: 'string' },
  { name: 'day', type: 'date' },
  { name: 'level', type: 'number' },
  { name: 'breite', type: 'number' },
  { name: 'Lon', type: 'number' },
]
const chart = { kind: 'chart', dataQueryId: 4, x: 'x', y: ['y'] }
const value = { kind: 'value', source: { type: 'dataQuery', dataQueryId: 5, column: 'value' } }
const points = { type: 'dataQuery', dataQueryId: 6, lat: 'lat', lon: 'lon', state: null, label: 'code' }

test('a chart of a data query that was chosen now has the first number over the days', () => {
  expect(withGuessedColumns(widgetOf(chart), columns)).toEqual(widgetOf({ ...chart, x: 'day', y: ['level'] }))
})

test('a value is the first number, and a map has the degrees', () => {
  expect(withGuessedColumns(widgetOf(value), columns)).toEqual(
    widgetOf({ ...value, source: { ...value.source, column: 'level' } }),
  )
  expect(withGuessedColumns(widgetOf({ kind: 'map', points }), columns)).toEqual(
    widgetOf({ kind: 'map', points: { ...points, lat: 'breite', lon: 'Lon', label: null } }),
  )
})

test('a widget with a column of the result keeps all of its columns', () => {
  for (const kept of [
    { ...chart, x: 'day' },
    { ...chart, y: ['none', 'level'] },
    { ...value, source: { ...value.source, column: 'breite' } },
    { kind: 'map', points: { ...points, lat: 'level' } },
  ])
    expect(withGuessedColumns(widgetOf(kept), columns)).toEqual(widgetOf(kept))
})

test('nothing is guessed without numbers, degrees or rows', () => {
  const texts = columns.slice(0, 1)
  expect(withGuessedColumns(widgetOf(chart), texts)).toEqual(widgetOf(chart))
  expect(withGuessedColumns(widgetOf({ kind: 'map', points }), texts)).toEqual(
    widgetOf({ kind: 'map', points }),
  )
  const job = { kind: 'value', source: { type: 'job', jobId: 1, key: 'returnValue1' } }
  expect(withGuessedColumns(widgetOf(job), columns)).toEqual(widgetOf(job))
  expect(withGuessedColumns(widgetOf(value), [])).toEqual(widgetOf(value))
})

test('a widget has the data query of its rows', () => {
  const objects = { kind: 'map', points: { type: 'objects' } }
  const widgets = [chart, value, { kind: 'map', points }, { kind: 'table', dataQueryId: null }, objects]
  expect(widgets.map((widget) => queryOf(widgetOf(widget)))).toEqual([4, 5, 6, null, null])
  expect(queryOf(widgetOf({ kind: 'text' }))).toBeNull()
})
