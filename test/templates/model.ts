import { Decimal } from '../../src/templates/values/decimal.ts'
import { DateValue } from '../../src/templates/values/value.ts'
import type { Given } from '../../src/templates/template.ts'

const MOMENT = 1_767_268_805_678
const decimal = (text: string) => Decimal.parse(text)

/** The parameters of all cases; the same as in oracle.java. */
export const MODEL: Readonly<Record<string, Given>> = {
  name: "O'Brien",
  text: 'The quick, brown fox',
  blank: '',
  spaces: '  a  b ',
  n: 42,
  zero: 0,
  minus: decimal('-7.5'),
  big: decimal('1234567.891'),
  tiny: decimal('0.000000001'),
  long: decimal('12345678901234567890.5'),
  yes: true,
  no: false,
  nothing: null,
  list: ['b', 'a', 'c'],
  numbers: [3, 1, 2.5],
  empty: [],
  gaps: ['x', null, 'z'],
  user: { name: 'Ada', age: 36, tags: ['p', 'q'] },
  none: {},
  rows: [
    { region: 'west', total: 3 },
    { region: 'east', total: 1 },
    { region: 'north', total: 2 },
  ],
  moment: new DateValue('datetime', MOMENT),
  day: new DateValue('date', MOMENT - (MOMENT % 86_400_000)),
  time: new DateValue('time', MOMENT % 86_400_000),
}
