import { expect, test } from 'bun:test'

import { readCommand, readProgressFile } from './commands.ts'

const said = (value: number | null, message: string | null) => ({ progress: { value, message } })

test.each([
  ['::tidemark progress=0.42 message=row 42000', said(0.42, 'row 42000')],
  ['::tidemark progress=0', said(0, null)],
  ['::tidemark progress=1', said(1, null)],
  ['::tidemark message=loading a=b', said(null, 'loading a=b')],
  ['::tidemark   progress=1e-3', said(0.001, null)],
  ['::tidemark output=result.csv', { output: 'result.csv' }],
  ['::tidemark output=a folder/of mine.csv ', { output: 'a folder/of mine.csv' }],
  ['::tidemark progress=1.01', null],
  ['::tidemark progress=-1', null],
  ['::tidemark progress=half', null],
  ['::tidemark progress=', null],
  ['::tidemark output=', null],
  ['::tidemark', null],
  ['::tidemark other=1', null],
  [' ::tidemark progress=1', null],
  ['progress=1', null],
])('%s', (line, command) => expect(readCommand(line)).toEqual(command))

test.each([
  ['0.5', { value: 0.5, message: null }],
  ['0.1 a\n0.75 rows are read\n', { value: 0.75, message: 'rows are read' }],
  ['', null],
  ['nearly there', null],
  ['2 too far', null],
])('a progress file with %j', (text, progress) => expect(readProgressFile(text)).toEqual(progress))

test('a message is one line of 1,000 characters', () => {
  const command = readCommand(`::tidemark message=\u001B[31m${'a'.repeat(2_000)}`)
  expect(command).toMatchObject({ progress: { message: `[31m${'a'.repeat(995)}…` } })
})
