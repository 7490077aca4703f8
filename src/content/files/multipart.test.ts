import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { boundaryOf, formParts, readFilePart } from './multipart.ts'

const BOUNDARY = '-b-'
const CRLF = '\r\n'

/** Contents that look like what parts them. */
const content = fc
  .array(fc.constantFrom('\r', '\n', '-', 'b', `${CRLF}--`, `${CRLF}---b`, `--${BOUNDARY}x`, '\0', 'é'))
  .map((pieces) => pieces.join(''))
  .filter((text) => !`${CRLF}${text}${CRLF}`.includes(`${CRLF}--${BOUNDARY}`))

test('a file comes out as it went in, with any cuts of its form into chunks and any other parts', async () => {
  await fc.assert(
    fc.asyncProperty(
      content,
      content,
      fc.constantFrom('', `before${CRLF}`),
      fc.array(fc.nat({ max: 40 }), { minLength: 1 }),
      async (file, field, preamble, sizes) => {
        const before = partOf('name="a"', field)
        const after = partOf('name="c"', field)
        const form = `${preamble}${before}${partOf('name="b"; filename="x"', file)}${after}--${BOUNDARY}--${CRLF}`
        const part = await readFilePart(cut(new TextEncoder().encode(form), sizes), BOUNDARY)
        expect(part.type).toBe('text/x')
        expect(await textOf(part.chunks)).toBe(file)
      },
    ),
    { numRuns: 300 },
  )
})

test('parts come with their names, in their order, read or not', async () => {
  const form = [
    partOf('name="a%22b"', 'one'),
    partOf(`name="file"; filename="für 1.zip"`, 'two'),
    partOf('filename=plain.zip; name=c', 'three'),
    partOf('name="d"; filename*=UTF-8\'\'x.zip', ''),
    `--${BOUNDARY}--`,
  ].join('')
  for (const isRead of [true, false]) {
    const seen = []
    for await (const { name, filename, chunks } of formParts(
      cut(new TextEncoder().encode(form), [7, 0]),
      BOUNDARY,
    ))
      seen.push([name, filename, isRead ? await textOf(chunks) : null])
    expect(seen).toEqual([
      ['a"b', null, isRead ? 'one' : null],
      ['file', 'für 1.zip', isRead ? 'two' : null],
      ['c', 'plain.zip', isRead ? 'three' : null],
      ['d', '', isRead ? '' : null],
    ])
  }
})

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
  ['multipart/form-data', ''],
  ['multipart/form-data; boundary=', ''],
  ['multipart/form-datax; boundary=a', null],
  ['text/plain; boundary=a', null],
  [null, null],
])('the boundary of %p is %p', (header, boundary) => expect(boundaryOf(header)).toBe(boundary))

function partOf(disposition: string, text: string): string {
  const head = [`Content-Disposition: form-data; ${disposition}`, 'content-TYPE: text/x']
  return [`--${BOUNDARY}`, ...head, '', text, ''].join(CRLF)
}

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    // A size of zero is an empty chunk; the next byte then comes alone.
    const size = sizes[turn % sizes.length] ?? 0
    yield await Promise.resolve(bytes.subarray(at, at + size))
    at += size
    if (size > 0) continue
    yield bytes.subarray(at, at + 1)
    at += 1
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read).toString()
}
