import { expect, test } from 'bun:test'
import fc from 'fast-check'

import { freePlace, keyedPlace, placed } from './layout.ts'

const item = (widget: string, x: number, y: number, w = 3) => ({ widget, x, y, w, h: 2 })

test('items at the new place move down, the rest stays', () => {
  const items = [item('a', 0, 0), item('b', 3, 0), item('c', 3, 2), item('d', 9, 0)]
  expect(placed(items, 'a', { x: 3, y: 0, w: 3, h: 2 })).toEqual([
    item('a', 3, 0),
    item('b', 3, 2),
    item('c', 3, 4),
    item('d', 9, 0),
  ])
})

test('a new item is placed behind the others', () => {
  expect(placed([item('a', 0, 0)], 'b', { x: 3, y: 0, w: 3, h: 2 })).toEqual([
    item('a', 0, 0),
    item('b', 3, 0),
  ])
})

test('the first free place is right of what is there, else below it', () => {
  expect(freePlace([item('a', 0, 0)], { w: 3, h: 2 })).toEqual({ x: 3, y: 0, w: 3, h: 2 })
  expect(freePlace([item('a', 0, 0, 12)], { w: 3, h: 2 })).toEqual({ x: 0, y: 2, w: 3, h: 2 })
})

test('Alt and arrows move within the grid, with Shift they change the size; other keys do nothing', () => {
  const press = (key: string, shiftKey = false) =>
    keyedPlace({ key, altKey: true, shiftKey }, { x: 9, y: 0, w: 3, h: 1 })
  expect(press('ArrowRight')).toEqual({ x: 9, y: 0, w: 3, h: 1 })
  expect(press('ArrowLeft')).toEqual({ x: 8, y: 0, w: 3, h: 1 })
  expect(press('ArrowUp')).toEqual({ x: 9, y: 0, w: 3, h: 1 })
  expect(press('ArrowRight', true)).toEqual({ x: 9, y: 0, w: 3, h: 1 })
  expect(press('ArrowDown', true)).toEqual({ x: 9, y: 0, w: 3, h: 2 })
  expect(press('ArrowUp', true)).toEqual({ x: 9, y: 0, w: 3, h: 1 })
  expect(press('Enter')).toBeNull()
  expect(keyedPlace({ key: 'ArrowLeft', altKey: false, shiftKey: false }, item('a', 3, 0))).toBeNull()
})

test('no move makes items overlap or leave the grid', () => {
  const place = fc.record({
    x: fc.integer({ min: 0, max: 11 }),
    y: fc.integer({ min: 0, max: 20 }),
    w: fc.integer({ min: 1, max: 12 }),
    h: fc.integer({ min: 1, max: 6 }),
  })
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), place, (places, target) => {
      const items = places.reduce<ReturnType<typeof placed>>((all, one, at) => placed(all, `w${at}`, one), [])
      const moved = placed(items, 'w0', target)
      expect(moved.length).toBe(items.length)
      for (const [at, a] of moved.entries()) {
        expect(a.x + a.w).toBeLessThanOrEqual(12)
        for (const b of moved.slice(at + 1))
          expect(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h).toBe(false)
      }
    }),
    { numRuns: 200 },
  )
})
