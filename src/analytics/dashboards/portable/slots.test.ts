import { describe, expect, test } from 'bun:test'

import { definition } from '../definition.ts'
import { referencesOf } from '../references.ts'
import { mapReferences, textOf } from './slots.ts'
import { decide, isNewer } from './versions.ts'
import type { Mode } from './versions.ts'
import { keepUnknown, restoreUnknown } from './widgets.ts'

const WIDGETS = {
  value: { kind: 'value', source: { type: 'job', jobId: 1 }, link: { dashboardId: 2 } },
  query: { kind: 'value', source: { type: 'dataQuery', dataQueryId: 3, column: 'a' } },
  history: { kind: 'history', series: [{ jobId: 4 }, { jobId: 5 }] },
  chart: { kind: 'chart', dataQueryId: 6, type: 'bar', x: 'a', y: ['b'] },
  states: { kind: 'states', objects: { ids: [7, 8], groupId: 9 } },
  slo: { kind: 'slo', objectId: 10 },
  map: { kind: 'map', points: { type: 'dataQuery', dataQueryId: 11, lat: 'a', lon: 'b' } },
  places: { kind: 'map', points: { type: 'objects', objects: { ids: [12], groupId: 13 } } },
  image: { kind: 'image', file: 'a.png', alt: 'a', hotspots: [{ x: 0, y: 0, objectId: 14 }] },
  script: { kind: 'script', scriptId: 15 },
  board: { kind: 'dashboard', dashboardId: 16 },
}

test('all references of all kinds are replaced, and nothing else', () => {
  const given = definition.parse({
    widgets: WIDGETS,
    parameters: [{ name: 'a', type: 'query', valuesQueryId: 17 }],
  })
  const found: [string, unknown][] = []
  const mapped = mapReferences(given, (kind, value) => {
    found.push([kind, value])
    return Number(value) + 100
  })
  const expected = referencesOf(given).filter(({ kind }) => kind !== 'file')
  const byId = (a: [string, unknown], b: [string, unknown]) => Number(a[1]) - Number(b[1])
  expect(found.toSorted(byId)).toEqual(
    expected.map(({ kind, targetId }): [string, unknown] => [kind, targetId]).toSorted(byId),
  )
  const back = mapReferences(mapped, (_, value) => Number(value) - 100)
  expect(back).toEqual(given)
  expect(mapped).not.toEqual(given)
})

test('a widget of a newer release is kept, and written as it came', () => {
  const given = {
    schemaVersion: 2,
    widgets: { w1: { kind: 'gauge3d', title: 'G', max: 5 }, w2: { kind: 'line' } },
  }
  const { definition: kept, kept: ids } = keepUnknown(given)
  expect(ids).toEqual(['w1'])
  expect(kept).toMatchObject({
    schemaVersion: 1,
    widgets: {
      w1: { kind: 'unknown', title: 'G', original: { kind: 'gauge3d', max: 5 } },
      w2: { kind: 'line' },
    },
  })
  expect(restoreUnknown(definition.parse(kept))['widgets']).toMatchObject(given.widgets)
})

test('an export has its keys in order and ends with a line break', () => {
  expect(textOf({ b: [{ d: 1, c: 2 }], a: null })).toBe(
    '{\n  "a": null,\n  "b": [\n    {\n      "c": 2,\n      "d": 1\n    }\n  ]\n}\n',
  )
})

describe('an import compares versions', () => {
  const rows: [
    title: string,
    mode: Mode,
    number: number,
    local: readonly [number, boolean] | null,
    action: string,
    changed?: boolean,
    downgrade?: boolean,
  ][] = [
    ['new', 'skip', 5, null, 'create'],
    ['the same', 'skip', 5, [5, true], 'unchanged'],
    ['the same contents of another number', 'overwrite', 3, [5, true], 'unchanged'],
    ['higher', 'skip', 6, [5, false], 'update'],
    ['equal and changed here', 'skip', 5, [5, false], 'skip', true],
    ['equal and changed here', 'overwrite', 5, [5, false], 'update', true],
    ['lower', 'skip', 4, [5, false], 'skip'],
    ['lower', 'overwrite', 4, [5, false], 'update', false, true],
    ['as a copy', 'copy', 4, [5, false], 'copy'],
  ]
  for (const [title, mode, number, local, action, localChanges = false, isDowngrade = false] of rows)
    test(`${title}, ${mode}: ${action}`, () => {
      const here = local && { number: local[0], isSame: local[1] }
      expect(decide(mode, number, here)).toEqual({ action, localChanges, isDowngrade } as never)
    })
})

test('releases are compared by their numbers', () => {
  const rows: [string, string, boolean][] = [
    ['9.10.0', '9.9.3', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.1', '1.0.0', true],
    ['0.9.9', '1.0.0', false],
    ['2.0.0-beta', '1.9.0', true],
    ['next', '1.0.0', false],
  ]
  for (const [release, than, expected] of rows) expect(isNewer(release, than)).toBe(expected)
})
