import { expect, test } from 'bun:test'

import { pageOrWhole } from './paging.ts'

/** A list of numbers from 0, read in pages; its cursor is the number that the next page begins with. */
function listOf(length: number) {
  const sizes: number[] = []
  const readPage = ({ limit, cursor }: { limit: number; cursor?: string | undefined }) => {
    const from = Number(cursor ?? 0)
    const items = Array.from({ length: Math.min(limit, length - from) }, (_, index) => from + index)
    sizes.push(items.length)
    const end = from + items.length
    return Promise.resolve({ items, next: end < length ? String(end) : null })
  }
  return { sizes, readPage }
}

test('a list without a limit is whole, in order, from its cursor on', async () => {
  const { sizes, readPage } = listOf(10)
  expect(await pageOrWhole({}, 4, readPage)).toEqual({ items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], next: null })
  expect(sizes).toEqual([4, 4, 2])
  expect(await pageOrWhole({ cursor: '7' }, 4, readPage)).toEqual({ items: [7, 8, 9], next: null })
})

test('a list with a limit is one page', async () => {
  const { sizes, readPage } = listOf(10)
  expect(await pageOrWhole({ limit: 3 }, 4, readPage)).toEqual({ items: [0, 1, 2], next: '3' })
  expect(await pageOrWhole({ limit: 3, cursor: '9' }, 4, readPage)).toEqual({ items: [9], next: null })
  expect(sizes).toEqual([3, 1])
})

test('100,000 items are one answer, and one more is behind its cursor', async () => {
  const whole = await pageOrWhole({}, 10_000, listOf(100_000).readPage)
  expect([whole.items.length, whole.next]).toEqual([100_000, null])
  const more = await pageOrWhole({}, 10_000, listOf(100_001).readPage)
  expect([more.items.length, more.next]).toEqual([100_000, '100000'])
})
