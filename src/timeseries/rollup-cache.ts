import { areSameBytes } from '../lib/same.ts'
import { Lru } from '../lib/lru.ts'
import { decodeCells } from './rollup-block.ts'
import type { RollupCell, RollupLevel } from './rollup-block.ts'

/** As many as take some 8 MB in memory: a month by hour of ninety series, or a year by day of seven. */
const CELLS_MAX = 65_536

/** A block of cells as it is stored. */
type Block = {
  readonly jobId: number
  readonly series: number
  readonly level: RollupLevel
  readonly block: number
  readonly body: Uint8Array
}

type Decoded = { readonly body: Uint8Array; readonly cells: readonly RollupCell[] }

/**
 * The cells of recently read blocks: open charts are read repeatedly. A block is decoded anew once
 * its bytes differ from the decoded bytes for any reason.
 */
export class RollupCache {
  readonly #blocks: Lru<Decoded>

  constructor(cellsMax = CELLS_MAX) {
    this.#blocks = new Lru(cellsMax)
  }

  /** How many cells are held. */
  get size(): number {
    return this.#blocks.weight
  }

  /** The cells of a block, by time: the same object for as long as they are held. They are shared and must not be changed.
   * @throws RangeError as `decodeCells` */
  cellsOf({ jobId, series, level, block, body }: Block): readonly RollupCell[] {
    const name = `${jobId}.${series}.${level}.${block}`
    const known = this.#blocks.get(name)
    if (known && areSameBytes(known.body, body)) return known.cells
    const cells = decodeCells(level, block, body)
    this.#blocks.set(name, { body, cells }, cells.length)
    return cells
  }
}
