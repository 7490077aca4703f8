import { afterEach, expect, test } from 'bun:test'

import { table } from './printing.ts'

const { isTTY } = process.stdout
const noColor = process.env['NO_COLOR']

afterEach(() => {
  process.stdout.isTTY = isTTY
  if (noColor === undefined) delete process.env['NO_COLOR']
  else process.env['NO_COLOR'] = noColor
})

test.each([
  ['on a terminal', true, undefined, true],
  ['on a terminal with an empty NO_COLOR', true, '', true],
  ['on a terminal with NO_COLOR', true, '1', false],
  ['in a file', false, undefined, false],
])('states have colours %s: %p, %p', (_, isTerminal, variable, isColoured) => {
  process.stdout.isTTY = isTerminal
  if (variable === undefined) delete process.env['NO_COLOR']
  else process.env['NO_COLOR'] = variable
  const plain = 'Name  State\nweb   ok\n'
  expect(table(['Name', 'State'], [['web', 'ok']], '')).toBe(
    isColoured ? plain.replace('ok', '\u001b[32mok\u001b[0m') : plain,
  )
})

test('a cell is one line that does not control the terminal, and columns begin below each other', () => {
  const message = '\u001b[31mred\u001b]0;title\u0007\r\nsecond\u202etxt'
  const rows = [
    ['部屋 🌡️', 'x'],
    ['room', message],
  ]
  expect(table(['Name', 'Message'], rows, '').split('\n')).toEqual([
    'Name     Message',
    '部屋 🌡️  x',
    'room     \ufffd[31mred\ufffd]0;title\ufffd second\ufffdtxt',
    '',
  ])
})
