import { addNumber, addTotal } from '../lib/total.ts'
import type { Total } from '../lib/total.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { asDecimals, readDoubles, writeDoubles } from './numbers-codec.ts'
import { readPacked, writePacked } from './packed-integers.ts'
import type { Samples } from './samples.ts'

/** The coarser levels that samples may be in besides their segments, by number. */
export const MINUTES = 1
export const HOURS = 2
export type RollupLevel = typeof MINUTES | typeof HOURS
export const ROLLUP_LEVELS: readonly RollupLevel[] = [MINUTES, HOURS]

const STEP_MS: Record<RollupLevel, number> = { [MINUTES]: 300_000, [HOURS]: 3_600_000 }
const CELLS_PER_BLOCK = 128
const KIND_DECIMAL = 0x20
const KIND_DOUBLE = 0x21

/** All samples of one level within [from, end). */
export type RollupCell = Total & {
  readonly from: number
  readonly end: number
  min: number
  max: number
  /** The latest sample and its instant; of equal instants the one that arrived later. */
  last: number
  to: number
}

/** The length of a level's cells, in ms; their borders are whole multiples of it, UTC. */
export function stepOf(level: RollupLevel): number {
  return STEP_MS[level]
}

/** The number of the block of cells that holds an instant. */
export function blockOf(level: RollupLevel, at: number): number {
  return Math.floor(at / (STEP_MS[level] * CELLS_PER_BLOCK))
}

/** The span [from, end) of a block. */
export function spanOf(level: RollupLevel, block: number): { readonly from: number; readonly end: number } {
  const spanMs = STEP_MS[level] * CELLS_PER_BLOCK
  return { from: block * spanMs, end: (block + 1) * spanMs }
}

/** The level in which samples take so much less room than in their segment that reads gain by it; null for none. */
export function levelFor({
  from,
  to,
  count,
}: {
  from: number
  to: number
  count: number
}): RollupLevel | null {
  const least = SAMPLES_PER_CELL_MIN * Math.max(1, to - from)
  if (count * STEP_MS[MINUTES] >= least) return MINUTES
  return count * STEP_MS[HOURS] >= least ? HOURS : null
}

const SAMPLES_PER_CELL_MIN = 16

/** The cells of one block, by time. Adding samples is all that ever happens to them. */
export class CellBlock {
  readonly #level: RollupLevel
  readonly #fromAt: number
  readonly #cells = new Map<number, RollupCell>()

  constructor(level: RollupLevel, block: number) {
    this.#level = level
    this.#fromAt = spanOf(level, block).from
  }

  /** @throws RangeError when the body is not one that `encode` makes */
  static decode(level: RollupLevel, block: number, body: Uint8Array): CellBlock {
    const made = new CellBlock(level, block)
    for (const cell of decodeCells(level, block, body)) made.#cells.set(made.#placeOf(cell.from), cell)
    return made
  }

  get cells(): readonly RollupCell[] {
    return [...this.#cells.values()]
  }

  /** Adds samples of this block, in ascending order of time; on equal instants they are later than those here. */
  add(samples: Samples<number>): void {
    const decimals = asDecimals(samples.values)
    const scale = decimals ? 10 ** decimals.exponent : null
    let index = 0
    while (index < samples.at.length) {
      const place = this.#placeOf(samples.at[index] ?? 0)
      const cell = this.#cellAt(place)
      for (; index < samples.at.length && (samples.at[index] ?? 0) < cell.end; index++) {
        addSample(cell, samples.at[index] ?? 0, samples.values[index] ?? 0)
      }
      if (scale !== null) cell.sum = snapped(cell.sum, scale)
    }
  }

  /** Adds what finer cells hold. */
  addCells(cells: readonly RollupCell[]): void {
    for (const finer of cells) {
      const { from, min, max, last, to } = finer
      const cell = this.#cellAt(this.#placeOf(from))
      addTotal(cell, finer)
      cell.min = Math.min(cell.min, min)
      cell.max = Math.max(cell.max, max)
      if (to < cell.to) continue
      cell.to = to
      cell.last = last
    }
    const all = this.cells
    const decimals = asDecimals(all.flatMap(({ min, max, last }) => [min, max, last]))
    if (!decimals) return
    for (const cell of all) cell.sum = snapped(cell.sum, 10 ** decimals.exponent)
  }

  encode(): Uint8Array {
    return encodeCells([...this.#cells].toSorted(([one], [other]) => one - other))
  }

  #placeOf(at: number): number {
    return Math.floor((at - this.#fromAt) / STEP_MS[this.#level])
  }

  #cellAt(place: number): RollupCell {
    const known = this.#cells.get(place)
    if (known) return known
    if (place < 0 || place >= CELLS_PER_BLOCK)
      throw new RangeError(`${place} is not a place in a block of cells`)
    const from = this.#fromAt + place * STEP_MS[this.#level]
    const end = from + STEP_MS[this.#level]
    const none = { count: 0, sum: 0, mean: null, min: Infinity, max: -Infinity, last: 0, to: -Infinity }
    const cell = { from, end, ...none }
    this.#cells.set(place, cell)
    return cell
  }
}

function addSample(cell: RollupCell, at: number, value: number): void {
  addNumber(cell, value)
  cell.min = Math.min(cell.min, value)
  cell.max = Math.max(cell.max, value)
  if (at < cell.to) return
  cell.to = at
  cell.last = value
}

/** The decimal that adding decimals up as doubles has missed by a rounding or two. */
function snapped(sum: number | null, scale: number): number | null {
  if (sum === null) return null
  const mantissa = Math.round(sum * scale)
  return Math.abs(mantissa) < 2 ** 51 && Math.abs(sum * scale - mantissa) < 1e-3 ? mantissa / scale : sum
}

type Placed = readonly (readonly [place: number, cell: RollupCell])[]

function encodeCells(cells: Placed): Uint8Array {
  const writer = new ByteWriter()
  const all = cells.map(([, cell]) => cell)
  const decimals = asDecimals(all.flatMap((cell) => [sumOrMean(cell), cell.min, cell.max, cell.last]))
  writer.byte(decimals ? KIND_DECIMAL : KIND_DOUBLE)
  writer.unsigned(all.length)
  writePacked(
    writer,
    cells.map(([place], index) => place - index),
  )
  // No count is negative: the sign says that there is no sum, but a mean.
  writePacked(
    writer,
    all.map(({ count, sum }) => (sum === null ? -count : count)),
  )
  writePacked(
    writer,
    all.map(({ from, to }) => to - from),
  )
  if (!decimals) {
    writeDoubles(writer, all.map(sumOrMean))
    for (const name of ['min', 'max', 'last'] as const)
      writeDoubles(
        writer,
        all.map((cell) => cell[name]),
      )
    return writer.finish()
  }
  writer.byte(decimals.exponent)
  const { mantissas } = decimals
  const column = (of: (index: number) => number) =>
    writePacked(
      writer,
      all.map((_, index) => of(index)),
    )
  const mantissa = (index: number, which: number) => mantissas[index * 4 + which] ?? 0
  const mean = (index: number) => Math.round(mantissa(index, 0) / (all[index]?.count ?? 1))
  column((index) => mean(index))
  column((index) => mantissa(index, 0) - mean(index) * (all[index]?.count ?? 1))
  for (const which of [1, 2, 3]) column((index) => mantissa(index, which) - mean(index))
  return writer.finish()
}

/** 0 for a mean that is unknown, as in the blocks of releases that kept no means: no mean of numbers whose sum is beyond the range
 * of a double is 0. */
function sumOrMean({ sum, mean }: RollupCell): number {
  return sum ?? mean ?? 0
}

/** The cells of a block, by time. @throws RangeError when the body is not one that CellBlock makes */
export function decodeCells(level: RollupLevel, block: number, body: Uint8Array): RollupCell[] {
  const reader = new ByteReader(body)
  const kind = reader.byte()
  if (kind !== KIND_DECIMAL && kind !== KIND_DOUBLE)
    throw new RangeError(`${kind} is not a kind of a block of cells`)
  const total = reader.unsigned()
  if (total > CELLS_PER_BLOCK) throw new RangeError(`a block of cells claims ${total} cells`)
  const [places, counts, instants] = [
    readPacked(reader, total),
    readPacked(reader, total),
    readPacked(reader, total),
  ]
  const columns = kind === KIND_DECIMAL ? readDecimals(reader, counts) : readAllDoubles(reader, total)
  reader.end()
  return cellsOf(level, block, { places, counts, instants, ...columns })
}

type Columns = Readonly<Record<'sum' | 'min' | 'max' | 'last', ArrayLike<number>>>
type AllColumns = Columns & Readonly<Record<'places' | 'counts' | 'instants', ArrayLike<number>>>

function cellsOf(level: RollupLevel, block: number, columns: AllColumns): RollupCell[] {
  const fromAt = spanOf(level, block).from
  const stepMs = STEP_MS[level]
  const cells: RollupCell[] = []
  for (let index = 0; index < columns.places.length; index++) {
    const from = fromAt + ((columns.places[index] ?? 0) + index) * stepMs
    const count = columns.counts[index] ?? 0
    const sum = columns.sum[index] ?? 0
    cells.push({
      from,
      end: from + stepMs,
      count: Math.abs(count),
      sum: count < 0 ? null : sum,
      mean: count < 0 && sum !== 0 ? sum : null,
      min: columns.min[index] ?? 0,
      max: columns.max[index] ?? 0,
      last: columns.last[index] ?? 0,
      to: from + (columns.instants[index] ?? 0),
    })
  }
  return cells
}

function readDecimals(reader: ByteReader, counts: Float64Array): Columns {
  const scale = 10 ** reader.byte()
  const means = readPacked(reader, counts.length)
  const sum = readPacked(reader, counts.length)
  const [min, max, last] = [
    readPacked(reader, counts.length),
    readPacked(reader, counts.length),
    readPacked(reader, counts.length),
  ]
  for (let index = 0; index < counts.length; index++) {
    const mean = means[index] ?? 0
    sum[index] = (mean * Math.abs(counts[index] ?? 0) + (sum[index] ?? 0)) / scale
    min[index] = (mean + (min[index] ?? 0)) / scale
    max[index] = (mean + (max[index] ?? 0)) / scale
    last[index] = (mean + (last[index] ?? 0)) / scale
  }
  return { sum, min, max, last }
}

function readAllDoubles(reader: ByteReader, total: number): Columns {
  const column = () => readDoubles(reader, total)
  return { sum: column(), min: column(), max: column(), last: column() }
}
