import { textLines } from '../../../lib/chunks.ts'

/** A text of lines, compressed with gzip. */
export async function packed(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The lines of a text that is compressed with gzip, one after the other: no more than a line is in memory. */
export async function* linesOf(bytes: Uint8Array): AsyncGenerator<string, void> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'))
  for await (const line of textLines(stream, Number.POSITIVE_INFINITY)) if (line !== '') yield line
}
