/**
 * Named byte strings of any size, beside the database: files, script trees, uploads, segments that went cold.
 *
 * Every host guarantees:
 * - `put` and `delete` are durable once they resolve.
 * - `put` is atomic: a reader gets the old bytes or the new ones, whole. One that fails leaves the old ones.
 * - Of concurrent `put`s of one key, one wins as a whole.
 * - `get` and `list` see every earlier `put`.
 *
 * Every method rejects with a RangeError for an invalid key (see `checkBlobKey`).
 */
export interface Blobs {
  /** Stores the bytes under the key, in place of those it had. A stream may be of any length and is not buffered whole. */
  put(key: string, body: Uint8Array | ReadableStream<Uint8Array>): Promise<void>

  /** The present bytes of the key, unchanged by later `put`s, or a span of them; null for a missing key.
   * Rejects with a RangeError for a span that is empty or not within them. */
  get(key: string, span?: ByteSpan): Promise<StoredBlob | null>

  /** Removes the key; one that is missing is fine. */
  delete(key: string): Promise<void>

  /** All keys that begin with the prefix (which may end inside a name; empty for all), in the order of their bytes. */
  list(prefix: string): Promise<string[]>
}

/** So many bytes from a place on, counted from 0. */
export type ByteSpan = { readonly offsetBytes: number; readonly sizeBytes: number }

export interface StoredBlob {
  /** The reader must read the body to its end or cancel it, because the body holds a resource of the host until then. */
  readonly body: ReadableStream<Uint8Array>
  /** How many bytes the body has. */
  readonly sizeBytes: number
}

/** Throws a RangeError unless the span has bytes and all of them are among so many. */
export function checkByteSpan({ offsetBytes, sizeBytes }: ByteSpan, wholeBytes: number): void {
  const isWithin = offsetBytes >= 0 && sizeBytes > 0 && offsetBytes + sizeBytes <= wholeBytes
  if (!isWithin) throw new RangeError('The span is not within the blob')
}

/**
 * Throws a RangeError unless the text is a key: 1 to 512 characters of `A-Z a-z 0-9 . _ / -`, without `..`, and
 * between its slashes no name that is empty or a lone dot.
 */
export function checkBlobKey(key: string): void {
  if (!KEY.test(key)) throw new RangeError('Not a blob key')
}

/** Throws a RangeError unless some key begins with the text, which may be empty. */
export function checkBlobPrefix(prefix: string): void {
  // One more character completes what a key may not end with: a slash, or a dot that stands alone.
  const beginsKey =
    prefix === '' || KEY.test(prefix) || (prefix.length < MAX_LENGTH && KEY.test(`${prefix}x`))
  if (!beginsKey) throw new RangeError('Not the beginning of a blob key')
}

const MAX_LENGTH = 512

const KEY = /^(?=.{1,512}$)(?!.*\.\.)(?!(?:.*\/)?\.(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/
