import { joined } from '../../../lib/chunks.ts'

/** What is read of an answer: enough to see what it says. */
const READ_MAX_BYTES = 16 * 1024

/** The beginning of an answer's body. */
export type Beginning = {
  readonly body: string
  /** Whether that is all of it. */
  readonly isWhole: boolean
}

/** What a promise gives; null where that takes until the signal aborts, also where its host does not heed the signal. */
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

/** Reads the first 16 KiB of an answer, and no longer than until the signal aborts. The rest is cancelled. */
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
    // The status has arrived: a connection that breaks behind it changes nothing.
  }
  // Not awaited: a stream that hangs may never be cancelled.
  reader.cancel().catch(() => undefined)
  return decoded(false)
}
