import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { codesOf } from '../../src/http/problem.ts'

const page = (path: string) => readFileSync(join(import.meta.dir, '../../docs', path), 'utf8')
/** The first column of the tables of a page, as far as it is code. */
const rowsOf = (path: string, pattern: RegExp) => [...page(path).matchAll(pattern)].map(([, name]) => name)

test('the page of errors has a row for each code, with its status', () => {
  const expected = [...codesOf()].flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`))
  const rows = [...page('reference/errors.md').matchAll(/^\| (\d+) \| `(\w+)` \|/gm)]
  expect(rows.map(([, status, code]) => `${status} ${code}`).sort()).toEqual(expected.sort())
})
