import { expect, test } from 'bun:test'

import { isHidden, readingOrder, substituted } from './dashboard.ts'
import type { Page, Widget } from './dashboard.ts'

test('a whole text of the form ${name} stands for the value of a parameter, other texts for themselves', () => {
  const given = { a: '${region}', b: 'in ${region}', c: 3, d: '${none}' }
  expect(substituted(given, { region: ['north'] })).toEqual({
    a: ['north'],
    b: 'in ${region}',
    c: 3,
    d: null,
  })
})

test('a widget hides while the comparison holds', () => {
  const widget = (op: 'eq' | 'ne'): Widget =>
    ({ kind: 'line', hideWhen: { parameter: 'region', op, value: null } }) as unknown as Widget
  expect([isHidden(widget('eq'), {}), isHidden(widget('eq'), { region: 'north' })]).toEqual([true, false])
  expect([isHidden(widget('ne'), {}), isHidden(widget('ne'), { region: 'north' })]).toEqual([false, true])
})

test('widgets are read by rows, and on small screens in the order of the page, the others behind', () => {
  const item = (widget: string, x: number, y: number) => ({ widget, x, y, w: 1, h: 1 })
  const page: Page = {
    id: 'main',
    title: '',
    items: [item('c', 0, 2), item('b', 3, 0), item('a', 0, 0)],
    small: ['c', 'b'],
  }
  expect(readingOrder(page, false).map(({ widget }) => widget)).toEqual(['a', 'b', 'c'])
  expect(readingOrder(page, true).map(({ widget }) => widget)).toEqual(['c', 'b', 'a'])
})
