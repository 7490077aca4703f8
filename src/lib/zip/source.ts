/** Bytes that lie somewhere and can be read from any place on. */
export type ByteSource = {
  readonly sizeBytes: number
  /** Exactly this many bytes, all within the source. */
  read(offsetBytes: number, sizeBytes: number): Promise<Uint8Array>
}

/** How much is read ahead, and held. */
const WINDOW_BYTES = 4 * 1024 * 1024

/** Bytes that are in memory. */
export function heldSource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.byteLength,
    read: (offsetBytes, sizeBytes) => Promise.resolve(bytes.subarray(offsetBytes, offsetBytes + sizeBytes)),
  }
}

/** The same source with fewer reads: the 4 MiB from the last read on are in memory. */
export function windowed(source: ByteSource): ByteSource {
  let from = 0
  let held: Uint8Array = new Uint8Array()
  return {
    sizeBytes: source.sizeBytes,
    async read(offsetBytes, sizeBytes) {
      if (sizeBytes === 0) return new Uint8Array()
      const isHeld = offsetBytes >= from && offsetBytes + sizeBytes <= from + held.byteLength
      if (!isHeld) {
        const rest = source.sizeBytes - offsetBytes
        held = await source.read(offsetBytes, Math.min(rest, Math.max(sizeBytes, WINDOW_BYTES)))
        from = offsetBytes
      }
      return held.subarray(offsetBytes - from, offsetBytes - from + sizeBytes)
    },
  }
}
