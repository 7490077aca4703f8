import type { Row } from '../../domain/table.ts'
import { placeOf, sumOfValues } from './merge.ts'
import type { Cell, Values } from './merge.ts'

/** A point that is alone in its cell. */
export type SinglePoint = {
  readonly x: number
  readonly y: number
  readonly lon: number
  readonly lat: number
  readonly state: number
  readonly key: string | null
  readonly values: readonly (number | null)[]
}

const VALUES_AT = 11
const VALUE_PARTS = 4

/** The cells of the rows of `cellsStatement`, whose last column of cells is next to the first one. */
export function cellsIn(rows: readonly Row[], around: number): readonly Cell[] {
  const cells = new Map<string, Cell>()
  for (const row of rows) {
    const cell = cellOf(row, around)
    const place = placeOf(cell.x, cell.y)
    const known = cells.get(place)
    cells.set(place, known ? together(known, cell) : cell)
  }
  return [...cells.values()]
}

function cellOf(row: Row, around: number): Cell {
  const number = (at: number) => Number(row[at] ?? 0)
  const count = number(3)
  const values: Values[] = []
  for (let at = VALUES_AT; at < row.length; at += VALUE_PARTS) {
    const numbers = number(at + 1)
    values.push({
      // A database answers null without numbers, and for a sum that is beyond the range of a double.
      sum: numbers === 0 ? 0 : numberAt(row, at),
      count: numbers,
      min: numberAt(row, at + 2),
      max: numberAt(row, at + 3),
    })
  }
  return {
    x: number(0) % around,
    y: number(1),
    count,
    lon: number(4),
    lat: number(5),
    west: number(6),
    south: number(7),
    east: number(8),
    north: number(9),
    states: new Map([[number(2), count]]),
    values,
    key: textAt(row, 10),
  }
}

/** The points of one cell that have several states. */
function together(one: Cell, other: Cell): Cell {
  const count = one.count + other.count
  return {
    ...one,
    count,
    lon: (one.lon * one.count + other.lon * other.count) / count,
    lat: (one.lat * one.count + other.lat * other.count) / count,
    west: Math.min(one.west, other.west),
    south: Math.min(one.south, other.south),
    east: Math.max(one.east, other.east),
    north: Math.max(one.north, other.north),
    states: new Map([...one.states, ...other.states]),
    values: one.values.map((value, at) => sumOfValues(value, other.values[at] ?? value)),
    key: null,
  }
}

/** The points of the rows of `pointsStatement`. */
export function pointsIn(rows: readonly Row[], around: number): readonly SinglePoint[] {
  return rows.map((row) => ({
    x: Number(row[0]) % around,
    y: Number(row[1]),
    state: Number(row[2]),
    lon: Number(row[3]),
    lat: Number(row[4]),
    key: textAt(row, 5),
    values: row.slice(6).map((_, at) => numberAt(row, at + 6)),
  }))
}

/** The only point of a cell. */
export function onlyPoint({ x, y, lon, lat, key, states, values }: Cell): SinglePoint {
  const [state = 0] = states.keys()
  return { x, y, lon, lat, key, state, values: values.map(({ count, sum }) => (count === 0 ? null : sum)) }
}

function numberAt(row: Row, at: number): number | null {
  const cell = row[at] ?? null
  return cell === null ? null : Number(cell)
}

function textAt(row: Row, at: number): string | null {
  const cell = row[at] ?? null
  return cell === null ? null : String(cell)
}
