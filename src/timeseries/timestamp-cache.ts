/** A column of instants, and the bytes that stand for it in a body. */
type Column = { readonly at: readonly number[]; readonly bytes: Uint8Array }

const COLUMNS_MAX = 32
/** So that all of them together take no more than 400 KB. */
const COUNT_MAX = 1_024

/**
 * The columns of instants that were packed or unpacked last. A sender of values of many series at once gives them the
 * same instants, and their segments are packed and unpacked one after the other: of such columns only the first is worked
 * out. Of others it is mostly seen at their beginning that they are not among these.
 */
export class TimestampCache {
  readonly #columns: Column[] = []
  #added = 0

  /** The bytes of these instants, or null. */
  bytesOf(at: readonly number[]): Uint8Array | null {
    for (const column of this.#columns) if (areSameInstants(column.at, at)) return column.bytes
    return null
  }

  /** The column whose bytes stand at this place of a body, or null. */
  columnIn(body: Uint8Array, place: number): Column | null {
    for (const column of this.#columns) if (standsAt(body, place, column.bytes)) return column
    return null
  }

  /** The instants are shared from now on and must not be changed. */
  add(at: readonly number[], bytes: Uint8Array): void {
    if (at.length <= COUNT_MAX) this.#columns[this.#added++ % COLUMNS_MAX] = { at, bytes }
  }
}

// One for each, so that both loops are compiled for what they go through.
function areSameInstants(some: readonly number[], others: readonly number[]): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false
  return true
}

function standsAt(body: Uint8Array, place: number, bytes: Uint8Array): boolean {
  if (place + bytes.length > body.length) return false
  for (let index = 0; index < bytes.length; index++) if (body[place + index] !== bytes[index]) return false
  return true
}
