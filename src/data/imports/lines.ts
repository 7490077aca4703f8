import { ImportFailure } from './failure.ts'

/** Reads each line, in batches, one for a chunk of bytes. Blank lines are left out.
 * @param charsMax of a line, which is kept in memory until it ends
 * @throws {ImportFailure} at a line that is too long */
export async function* readLines<Value>(
  bytes: AsyncIterable<Uint8Array>,
  charsMax: number,
  read: (text: string, line: number) => Value,
): AsyncGenerator<readonly { readonly line: number; readonly value: Value }[]> {
  const decoder = new TextDecoder()
  let open = ''
  let line = 1
  const take = (texts: readonly string[]) => {
    const batch: { readonly line: number; readonly value: Value }[] = []
    for (const text of texts) {
      if (text.length > charsMax) throw tooLong(line, charsMax)
      if (text.trim() !== '') batch.push({ line, value: read(text, line) })
      line += 1
    }
    return batch
  }
  for await (const chunk of bytes) {
    const texts = (open + decoder.decode(chunk, { stream: true })).split('\n')
    open = texts.pop() ?? ''
    const batch = take(texts)
    if (batch.length > 0) yield batch
    if (open.length > charsMax) throw tooLong(line, charsMax)
  }
  const last = take([open + decoder.decode()])
  if (last.length > 0) yield last
}

function tooLong(line: number, charsMax: number): ImportFailure {
  const message = `A line has at most ${charsMax} characters.`
  return new ImportFailure([{ code: 'too_long', line, column: null, message }])
}
