import { expect, test } from 'bun:test'

import { mediaOf } from './media.ts'

const PRINT = new TextEncoder().encode('print("é")\n')

test.each([
  ['main.py', PRINT, 'text/x-python', true],
  ['RUN.SH', PRINT, 'text/x-shellscript', true],
  ['Makefile', PRINT, 'text/plain', true],
  ['empty', new Uint8Array(), 'text/plain', true],
  ['x.jar', new Uint8Array([0x50, 0x4b, 3, 4]), 'application/java-archive', false],
  ['x.py', new Uint8Array([0x61, 0]), 'application/octet-stream', false],
  ['latin.txt', new Uint8Array([0x61, 0xe9]), 'application/octet-stream', false],
  ['x.jar', PRINT, 'text/plain', true],
  ['constructor.constructor', PRINT, 'text/plain', true],
] as const)('%p is of its type', (name, bytes, mimeType, isText) =>
  expect(mediaOf(name, bytes)).toEqual({ mimeType, isText }),
)
