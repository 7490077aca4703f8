import { decodeCells } from './cells.ts'
import type { Cell, Level } from './cells.ts'

/** As many as take some 6 MB in memory: a month by hour of ninety series, or a year by day of seven. */
const CELLS_MAX = 65_536

/** A block of cells as it is stored. */
type Block = {
  readonly jobId: number
  readonly series: number
  readonly level: Level
  readonly block: number
  readonly body: Uint8Array
}

type Decoded = { readonly body: Uint8Array; readonly cells: readonly Cell[] }

/**
 * The cells of blocks that were read lately: a chart that is looked at is looked at again. A block is decoded anew once
 * its bytes differ from those that were decoded, whatever the reason.
 */
export class RecentCells {
  readonly #cellsMax: number
  readonly #blocks = new Map<string, Decoded>()
  #cellCount = 0

  constructor(cellsMax = CELLS_MAX) {
    this.#cellsMax = cellsMax
  }

  /** How many cells are held. */
  get size(): number {
    return this.#cellCount
  }

  /** The cells of a block, by time. They are shared: nobody may change them. @throws RangeError as `decodeCells` */
  cellsOf({ jobId, series, level, block, body }: Block): readonly Cell[] {
    const name = `${jobId}.${series}.${level}.${block}`
    const known = this.#blocks.get(name)
    if (known) this.#drop(name, known)
    const decoded =
      known && isSame(known.body, body) ? known : { body, cells: decodeCells(level, block, body) }
    this.#blocks.set(name, decoded)
    this.#cellCount += decoded.cells.length
    // A Map goes through its names in the order in which they were set: the first is the one not read for longest.
    for (const [oldest, one] of this.#blocks) {
      if (this.#cellCount <= this.#cellsMax) break
      this.#drop(oldest, one)
    }
    return decoded.cells
  }

  #drop(name: string, { cells }: Decoded): void {
    this.#blocks.delete(name)
    this.#cellCount -= cells.length
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}
