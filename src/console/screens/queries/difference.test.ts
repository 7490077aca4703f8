import { expect, test } from 'bun:test'

import { linesOf, parametersText } from './difference.ts'

const lines = (...texts: readonly string[]) => texts.join('\n')

test('a comparison has the changed lines with three equal ones around them', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`)
  const after = before.with(9, 'another line')
  expect(linesOf(before.join('\n'), after.join('\n'))).toEqual([
    { kind: 'skip', count: 6 },
    { kind: 'same', text: 'line 7' },
    { kind: 'same', text: 'line 8' },
    { kind: 'same', text: 'line 9' },
    { kind: 'removed', text: 'line 10' },
    { kind: 'added', text: 'another line' },
    { kind: 'same', text: 'line 11' },
    { kind: 'same', text: 'line 12' },
    { kind: 'same', text: 'line 13' },
    { kind: 'skip', count: 7 },
  ])
})

test('a single equal line is never left out, and equal texts have no comparison', () => {
  const kinds = linesOf(lines('a', '1', '2', '3', '4', 'b'), lines('A', '1', '2', '3', '4', 'B'))?.map(
    ({ kind }) => kind,
  )
  expect(kinds).toEqual(['removed', 'added', 'same', 'same', 'same', 'same', 'removed', 'added'])
  expect(linesOf('SELECT 1', 'SELECT 1\n')).toBeNull()
})

test('parameters are compared one a line', () => {
  const parameter = { multi: false, required: false, default: null, choices: [], valuesQueryId: null }
  expect(
    parametersText([
      {
        ...parameter,
        name: 'region',
        type: 'enum',
        multi: true,
        required: true,
        choices: ['north', 'south'],
      },
      { ...parameter, name: 'top', type: 'number', default: 5 },
      { ...parameter, name: 'id', type: 'query', valuesQueryId: 4 },
    ]),
  ).toBe('region: enum[] ! (north | south)\ntop: number = 5\nid: query (#4)')
})
