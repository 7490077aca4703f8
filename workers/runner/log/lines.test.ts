import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { Lines } from './lines.ts'

function linesOf(chunks: readonly Uint8Array[], lengthMax = 100) {
  const taken: [text: string, isCut: boolean][] = []
  const lines = new Lines(lengthMax, (text, isCut) => taken.push([text, isCut]))
  for (const chunk of chunks) lines.push(chunk)
  lines.end()
  return taken
}

test('the lines of a text do not depend on its chunks', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 10 })
  fc.assert(
    fc.property(texts, fc.array(fc.nat(200), { maxLength: 5 }), (given, cuts) => {
      const wanted = given.map((line) => line.replaceAll(/[\r\n]/g, ''))
      const bytes = new TextEncoder().encode(wanted.map((line) => `${line}\n`).join(''))
      const at = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b),
        bytes.length,
      ]
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      expect(linesOf(chunks).map(([text]) => text)).toEqual(wanted.map((line) => line.replace(/^\uFEFF/, '')))
    }),
  )
})

test('a line may lack its end, and does not include a carriage return before its end', () => {
  const bytes = new TextEncoder().encode('a\r\n\nb')
  expect(linesOf([bytes])).toEqual([
    ['a', false],
    ['', false],
    ['b', false],
  ])
})

test('of a line no more is held than is wanted, and at least that', () => {
  const fits = new TextEncoder().encode(`${'ß€'.repeat(5)}\n`)
  expect(linesOf([fits], 10)).toEqual([['ß€'.repeat(5), false]])
  const [first] = linesOf([new Uint8Array(1_000).fill(97), new Uint8Array(1_000).fill(97)], 10)
  expect(first).toEqual(['a'.repeat(30), true])
})
