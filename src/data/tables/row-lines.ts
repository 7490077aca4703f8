import type { Row } from '../../domain/table.ts'

const CHUNK_CHARS = 256 * 1024

/** Writes rows as lines, each a JSON array of its cells. */
export async function* writeRowLines(
  batches: AsyncIterable<readonly Row[], void>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const rows of batches) {
    for (const row of rows) {
      text += `${JSON.stringify(row)}\n`
      if (text.length < CHUNK_CHARS) continue
      yield encoder.encode(text)
      text = ''
    }
  }
  if (text !== '') yield encoder.encode(text)
}
