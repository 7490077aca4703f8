import { expect, test } from 'bun:test'

import { textOf } from './figures.ts'

test('figures are lines with a help and a type; labels are escaped, and figures without samples are left out', () => {
  expect(
    textOf([
      { name: 'a_total', help: 'Back\\slash\nand line.', type: 'counter', samples: [{ value: 1.5 }] },
      { name: 'b', help: 'None.', type: 'gauge', samples: [] },
      {
        name: 'c_seconds',
        help: 'C.',
        type: 'histogram',
        samples: [
          { suffix: '_bucket', labels: { le: '+Inf', path: 'a"b\\\n' }, value: 2 },
          { suffix: '_count', value: 2 },
        ],
      },
    ]),
  ).toBe(
    '# HELP a_total Back\\\\slash\\nand line.\n# TYPE a_total counter\na_total 1.5\n' +
      '# HELP c_seconds C.\n# TYPE c_seconds histogram\nc_seconds_bucket{le="+Inf",path="a\\"b\\\\\\n"} 2\nc_seconds_count 2\n',
  )
})
