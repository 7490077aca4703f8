import { describe, expect, test } from 'bun:test'
import { cellsIn } from './cells.ts'
import { clusterFeature } from './features.ts'
import type { Style } from './features.ts'
import { cellsAround, normalBox, projected, wrapped } from './grid.ts'
import { mergedCells } from './merge.ts'
import type { Cell } from './merge.ts'

/** A cell with points at one place. */
function cellAt(lon: number, lat: number, { around, count = 1 }: { around: number; count?: number }): Cell {
  const { x, y } = projected({ lon, lat })
  return {
    x: Math.floor(x * around) % around,
    y: Math.floor(y * around),
    count,
    lon,
    lat,
    west: lon,
    south: lat,
    east: lon,
    north: lat,
    states: new Map([[1, count]]),
    values: [{ sum: count, count, min: 1, max: count }],
    key: null,
  }
}

const around = 72
const counts = (cells: readonly Cell[]) => mergedCells(cells, around).map(({ count }) => count)

describe('cells of the grid', () => {
  test('merge with neighbours that are nearer than a cell, into the largest one', () => {
    const [small, large] = [cellAt(4.9, 0, { around }), cellAt(5.1, 0, { around, count: 9 })]
    const [merged, ...others] = mergedCells([small, large], around)
    expect(others).toEqual([])
    expect(merged).toMatchObject({
      x: large.x,
      y: large.y,
      count: 10,
      west: 4.9,
      east: 5.1,
      members: [large, small],
    })
    expect(merged?.lon).toBeCloseTo(5.08)
    expect(merged?.values).toEqual([{ sum: 10, count: 10, min: 1, max: 9 }])
    expect(merged?.states).toEqual(new Map([[1, 10]]))
    expect(counts([cellAt(0.1, 0, { around }), cellAt(9.9, 0, { around })])).toEqual([1, 1])
    expect(counts([cellAt(0.1, 0, { around }), cellAt(12, 0, { around })])).toEqual([1, 1])
  })

  test('have no sum where a database answers none for its numbers, and where the sum leaves the range of a double', () => {
    const row = (sum: number | null, count: number) => [
      3,
      1,
      1,
      count,
      5,
      5,
      5,
      5,
      5,
      5,
      null,
      sum,
      count,
      1,
      9,
    ]
    const sumsOf = (...rows: (number | null)[][]) => cellsIn(rows, around).map(({ values }) => values[0]?.sum)
    expect(sumsOf(row(null, 2))).toEqual([null])
    expect(sumsOf(row(null, 0))).toEqual([0])
    expect(sumsOf(row(1e308, 1), row(1.5e308, 1))).toEqual([null])
    expect(sumsOf(row(1, 1), row(2, 1))).toEqual([3])
  })

  test('merge across the date line, with their mean place and box at it', () => {
    const [merged, ...others] = mergedCells(
      [cellAt(179.9, 10, { around, count: 3 }), cellAt(-179.9, 10, { around })],
      around,
    )
    expect(others).toEqual([])
    expect(merged?.lon).toBeCloseTo(179.95)
    const style: Style = {
      zoom: 3,
      maxZoom: 16,
      states: ['ok'],
      aggregates: [],
      valueNumber: () => 0,
      around,
    }
    const feature = merged && clusterFeature(merged, style)
    expect(feature?.properties).toMatchObject({ point_count: 4, worstState: 'ok', states: { ok: 4 } })
    expect(feature?.properties).toMatchObject({ bbox: [179.9, 10, expect.closeTo(-179.9), 10] })
  })

  test('lose no point, and each cell is in one cluster, in worlds of one, two and many cells', () => {
    for (const columns of [1, 2, 3, 72]) {
      const cells = Array.from({ length: columns * columns }, (_, at) => {
        const cell = cellAt(0, 0, { around: columns, count: ((at * 7) % 5) + 1 })
        return { ...cell, x: at % columns, y: Math.floor(at / columns) }
      })
      const merged = mergedCells(cells, columns)
      expect(merged.flatMap(({ members }) => members)).toHaveLength(cells.length)
      expect(new Set(merged.flatMap(({ members }) => members)).size).toBe(cells.length)
      const total = cells.reduce((sum, { count }) => sum + count, 0)
      expect(merged.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    }
  })

  test('do not depend on the order in which they come', () => {
    const cells = Array.from({ length: 40 }, (_, at) =>
      cellAt((at * 37) % 90, (at * 17) % 60, { around, count: (at % 4) + 1 }),
    )
    const ids = (some: readonly Cell[]) => mergedCells(some, around).map(({ x, y, count }) => [x, y, count])
    expect(ids(cells.toReversed())).toEqual(ids(cells))
  })
})

describe('a cluster', () => {
  const style: Style = { zoom: 5, maxZoom: 16, states: [], aggregates: [], valueNumber: () => 0, around: 273 }

  test('expands where its points are further apart than a cell, and never when they are at one place', () => {
    const one = { ...cellAt(8, 47, { around: 273, count: 1_234 }), members: [] }
    const zoomOf = (east: number) =>
      (clusterFeature({ ...one, east }, style).properties as { expansion_zoom: number }).expansion_zoom
    expect([zoomOf(8), zoomOf(8.01), zoomOf(9)]).toEqual([17, 13, 6])
    expect(clusterFeature(one, style).properties).toMatchObject({
      point_count_abbreviated: '1.2k',
      worstState: null,
    })
    expect(clusterFeature({ ...one, count: 12_345 }, style).properties).toMatchObject({
      point_count_abbreviated: '12k',
    })
  })
})

test('boxes are brought between -180 and 180, and wider ones than the world are the world', () => {
  expect(normalBox([170, -10, 190, 10])).toEqual({ west: 170, south: -10, east: -170, north: 10 })
  expect(normalBox([-190, -10, -170, 10])).toEqual({ west: 170, south: -10, east: -170, north: 10 })
  expect(normalBox([-180, -10, 180, 10])).toEqual({ west: -180, south: -10, east: 180, north: 10 })
  expect(normalBox([-200, -10, 200, 10])).toEqual({ west: -180, south: -10, east: 180, north: 10 })
  expect([wrapped(180), wrapped(-180), wrapped(540), wrapped(361)]).toEqual([180, -180, -180, 1])
})

test('the grid has whole columns, and the poles are at its edges', () => {
  expect([cellsAround(0, 60), cellsAround(0, 512), cellsAround(5, 60)]).toEqual([9, 1, 273])
  for (const lat of [90, -90]) {
    const { y } = projected({ lon: 0, lat })
    expect([y > 0, y < 1, Math.round(y)]).toEqual([true, true, lat > 0 ? 0 : 1])
  }
})
