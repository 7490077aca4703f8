import { expect, test } from 'bun:test'

import { csvOf } from './csv.ts'

test('texts with separators are quoted, formulas are texts, numbers keep their sign', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['x, "y"', '=1+1'],
        [-3, null],
        ['-x', true],
      ],
    ),
  ).toBe('a,b\r\n"x, ""y""",\'=1+1\r\n-3,\r\n\'-x,true\r\n')
})
