import { expect, test } from 'bun:test'

import { kindOfFormat } from './styles.ts'

test.each([
  ['General', null],
  ['0.00', null],
  ['0.00E+00', null],
  ['#,##0.00 "days"', null],
  ['[Red]#,##0;[Blue]-#,##0', null],
  ['[$CHF-807] #,##0.00', null],
  [String.raw`0 \d`, null],
  ['_-* #,##0_d', null],
  ['@', null],
  ['yyyy-mm-dd', 'date'],
  ['mmm yy', 'date'],
  ['[$-409]mmmm d, yyyy;@', 'date'],
  ['d/m/yy h:mm', 'datetime'],
  ['yyyy-mm-dd"T"hh:mm:ss.000', 'datetime'],
  ['h:mm AM/PM', 'time'],
  ['mm:ss.0', 'time'],
  ['[h]:mm:ss', 'duration'],
  ['[mm]:ss', 'duration'],
] as const)('numbers of the format %s are %s', (code, kind) => {
  expect(kindOfFormat(code)).toBe(kind)
})
