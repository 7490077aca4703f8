import { expect, test } from 'bun:test'

import { heldRows } from './held.ts'

const rows = [{ id: 3 }, { id: 1 }, { id: 2 }]

test('rows keep their order while a person is in the list; new ones wait, closed ones go', () => {
  expect(heldRows(rows, null)).toEqual({ shown: rows, waiting: 0 })
  expect(heldRows(rows, [1, 2])).toEqual({ shown: [{ id: 1 }, { id: 2 }], waiting: 1 })
  expect(heldRows(rows, [1, 9, 2, 3])).toEqual({ shown: [{ id: 1 }, { id: 2 }, { id: 3 }], waiting: 0 })
  expect(heldRows(rows, [])).toEqual({ shown: [], waiting: 3 })
})
