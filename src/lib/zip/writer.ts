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

/** The bounds of instants in an archive, each a day within the bounds of the format: its times have no zone. */
const [EARLIEST_AT, LATEST_AT] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)]

/** An archive of the entries in their order, as a stream: a chunk of one entry and the window of deflate are in memory. */
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
