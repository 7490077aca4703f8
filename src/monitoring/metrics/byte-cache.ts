/** Where bytes are in a view. */
export type Span = { readonly start: number; readonly end: number }

/** A value that was read from bytes, and how many messages these have. */
type Known<Value> = { readonly value: Value; readonly parts: number }
type Entry<Value> = Known<Value> & { readonly bytes: DataView }

/** The maximum size of all entries, and what an entry takes besides its bytes. */
const SIZE_MAX_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 256
/** Longer spans are not kept. */
const SPAN_MAX_BYTES = 1024

/** Values by the bytes that they were read from. Senders repeat the labels of a series in each request. */
export class ByteCache<Value> {
  readonly #entries = new Map<number, Entry<Value>>()
  #sizeBytes = 0

  find(view: DataView, span: Span): Known<Value> | null {
    const entry = this.#entries.get(hashOf(view, span))
    return entry && areSame(entry.bytes, view, span) ? entry : null
  }

  add(view: DataView, span: Span, known: Known<Value>): void {
    const length = span.end - span.start
    if (length > SPAN_MAX_BYTES) return
    if (this.#sizeBytes > SIZE_MAX_BYTES) {
      this.#entries.clear()
      this.#sizeBytes = 0
    }
    const copy = new Uint8Array(view.buffer, view.byteOffset + span.start, length).slice()
    this.#sizeBytes += length + ENTRY_BYTES
    this.#entries.set(hashOf(view, span), { ...known, bytes: new DataView(copy.buffer) })
  }
}

function hashOf(view: DataView, { start, end }: Span): number {
  let hash = end - start
  let at = start
  for (; at + 4 <= end; at += 4) hash = mix(hash, view.getUint32(at, true))
  for (; at < end; at++) hash = mix(hash, view.getUint8(at))
  return hash
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

function areSame(bytes: DataView, view: DataView, { start, end }: Span): boolean {
  const length = end - start
  if (bytes.byteLength !== length) return false
  let at = 0
  for (; at + 4 <= length; at += 4)
    if (bytes.getUint32(at, true) !== view.getUint32(start + at, true)) return false
  for (; at < length; at++) if (bytes.getUint8(at) !== view.getUint8(start + at)) return false
  return true
}
