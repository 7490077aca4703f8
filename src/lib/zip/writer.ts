import { Zip, ZipDeflate } from 'fflate'
import type { Chunks } from '../chunks.ts'

/** An entry to write; `path` ends with a slash for a directory, which has no chunks. */
export type Packable = {
  readonly path: string
  readonly changedAt: number
  readonly chunks: Chunks
  /** True for what is packed already. */
  readonly isPacked?: boolean
  /** True where time matters more than size. */
  readonly isQuick?: boolean
}

/** The earliest and the latest that an archive can tell, and a day from either end: it tells it in no zone. */
const [EARLIEST_AT, LATEST_AT] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)]

/** An archive of these in their order, as it comes: of each no more is held than a chunk and what deflate looks back to. */
export async function* packed(entries: AsyncIterable<Packable, void>): AsyncGenerator<Uint8Array, void> {
  let ready: Uint8Array[] = []
  const failed: Error[] = []
  const zip = new Zip((error, chunk) => {
    if (error) failed.push(error)
    else ready.push(chunk)
  })
  const take = () => {
    const [error] = failed
    if (error) throw error
    const taken = ready
    ready = []
    return taken
  }
  for await (const { path, changedAt, chunks, isPacked, isQuick } of entries) {
    const level = isQuick ? 1 : 6
    const file = new ZipDeflate(path, { level: isPacked ? 0 : level })
    file.mtime = Math.min(Math.max(changedAt, EARLIEST_AT), LATEST_AT)
    zip.add(file)
    for await (const chunk of chunks) {
      file.push(chunk)
      yield* take()
    }
    file.push(new Uint8Array(), true)
    yield* take()
  }
  zip.end()
  yield* take()
}
