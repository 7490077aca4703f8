/** Bytes that come one after the other. */
export type Chunks = AsyncIterable<Uint8Array, void>

/** Bytes that are there, as chunks. */
export async function* chunkOf(bytes: Uint8Array): Chunks {
  yield bytes
}

/** The same chunks; a signal that fires ends them with its reason. */
export async function* chunksUntil(chunks: Chunks, signal: AbortSignal | undefined): Chunks {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    yield chunk
  }
}

/** A stream of chunks, each made when the reader pulls it. */
export function streamOf(chunks: Chunks): ReadableStream<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await source.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await source.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The first bytes of chunks, `sizeBytes` or a little more where there are as many, and all chunks once again. */
export async function peek(
  chunks: Chunks,
  sizeBytes: number,
): Promise<{ readonly head: Uint8Array; readonly whole: Chunks }> {
  const source = chunks[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let seenBytes = 0
  while (seenBytes < sizeBytes) {
    const next = await source.next()
    if (next.done === true) break
    first.push(next.value)
    seenBytes += next.value.byteLength
  }
  const head = joined(first, seenBytes)
  return { head, whole: followed(head, source) }
}

/** The concatenation of chunks, which have `sizeBytes` bytes together. */
export function joined(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeBytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** The lines of a text, without their ends. @throws {RangeError} for one that is longer than `lengthMax` */
export async function* textLines(chunks: Chunks, lengthMax: number): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true })
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    if (held.length > lengthMax) throw new RangeError('A line is too long.')
    yield* lines
  }
  if (held !== '') yield held
}

async function* followed(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (head.byteLength > 0) yield head
    for (;;) {
      const next = await rest.next()
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // A reader that stops early stops the source as well.
    await rest.return?.()
  }
}
