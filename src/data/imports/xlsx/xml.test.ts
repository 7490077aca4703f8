import { expect, test } from 'bun:test'
import fc from 'fast-check'

import { streamedFile } from '../../../../test/data/import-files.ts'
import { attributeOf, scanXml } from './xml.ts'

async function eventsOf(xml: string, chunkBytes: number): Promise<string[]> {
  const events: string[] = []
  let text = ''
  const end = () => {
    if (text !== '') events.push(`text ${text}`)
    text = ''
  }
  const scanned = scanXml(streamedFile(new TextEncoder().encode(xml), chunkBytes).chunks, {
    open: (name, tag) => {
      end()
      events.push(`open ${name} ${attributeOf(tag, 'a') ?? '-'}`)
    },
    text: (part) => void (text += part),
    close: (name) => {
      end()
      events.push(`close ${name}`)
    },
  })
  for await (const _ of scanned);
  return events
}

const DOCUMENT = `\uFEFF<?xml version="1.0"?><!-- <no> --><x:root a='1 > 0' b="a='2'">t&lt;é<![CDATA[<&]]>
<x:leaf  b = "&quot;" x:a = '"&#65;'/></x:root >`

test('a document is the same in chunks of any size', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (chunkBytes) => {
      expect(await eventsOf(DOCUMENT, chunkBytes)).toEqual([
        'open root 1 > 0',
        'text t<é<&\n',
        'open leaf "A',
        'close leaf',
        'close root',
      ])
    }),
  ))

test('bytes that are not UTF-8 are refused', () => {
  const chunks = streamedFile(Uint8Array.of(0x3c, 0x61, 0x3e, 0xff)).chunks
  const scanned = scanXml(chunks, { open: () => undefined, text: () => undefined, close: () => undefined })
  expect(Array.fromAsync(scanned)).rejects.toThrow(/not in UTF-8/)
})
