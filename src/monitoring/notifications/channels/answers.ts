import { joined } from '../../../lib/chunks.ts'

/** The maximum number of bytes that are read of an answer. */
const READ_MAX_BYTES = 16 * 1024

/** The start of an answer's body. */
export type Beginning = {
  readonly body: string
  /** Whether this is the whole body. */
  readonly isWhole: boolean
}

/** The result of a promise; null if it is not settled before the signal aborts, also on a host that ignores the
 * signal. */
export async function inTime<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result | null> {
  const late = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  try {
    return await Promise.race([promise, late])
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

/** Reads the first 16 KiB of an answer, until the signal aborts at the latest. The rest is cancelled. */
export async function beginningOf({ body }: Response, signal: AbortSignal): Promise<Beginning> {
  const chunks: Uint8Array[] = []
  const decoded = (isWhole: boolean) => ({
    body: new TextDecoder().decode(
      joined(
        chunks,
        chunks.reduce((sum, { length }) => sum + length, 0),
      ),
    ),
    isWhole,
  })
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader()
  if (!reader) return decoded(true)
  let left = READ_MAX_BYTES
  try {
    while (left >= 0) {
      const read = await inTime(signal, reader.read())
      if (!read) break
      if (read.done) return decoded(true)
      chunks.push(read.value.subarray(0, left))
      left -= read.value.length
    }
  } catch {
    // The status has arrived: a connection that breaks after it changes nothing.
  }
  // Not awaited: a stream that hangs may never be cancelled.
  reader.cancel().catch(() => undefined)
  return decoded(false)
}
