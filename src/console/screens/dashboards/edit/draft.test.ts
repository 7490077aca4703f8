import { expect, test } from 'bun:test'

import type { Definition, Page } from '../dashboard.ts'
import { withFormer, withNewWidget, withoutWidget } from './draft.ts'

const page: Page = { id: 'main', title: '', items: [], small: ['text1'] }
const empty = { parameters: [], widgets: {}, pages: [page] } as unknown as Definition

test('a new widget gets an id that no widget has, and a free place', () => {
  const first = withNewWidget(empty, page, 'text')
  const [shown] = first.definition.pages
  if (!shown) throw new Error('The page is gone.')
  const second = withNewWidget(first.definition, shown, 'text')
  expect([first.id, second.id]).toEqual(['text1', 'text2'])
  expect(second.definition.pages[0]?.items).toEqual([
    { widget: 'text1', x: 0, y: 0, w: 4, h: 2 },
    { widget: 'text2', x: 4, y: 0, w: 4, h: 2 },
  ])
})

test('a deleted widget leaves its place and the order of small screens', () => {
  const { definition, id } = withNewWidget(empty, page, 'text')
  expect(withoutWidget(definition, id)).toEqual({ ...empty, pages: [{ ...page, small: [] }] })
})

test('a removed widget comes back to its place beside what was added meanwhile, and alone as if it had stayed', () => {
  const first = withNewWidget(empty, page, 'text')
  const [shown = page] = first.definition.pages
  const both = withNewWidget(first.definition, shown, 'clock').definition
  const removed = withoutWidget(both, 'text1')
  expect(JSON.stringify(withFormer(removed, both, 'text1'))).toBe(JSON.stringify(both))
  const [left = page] = removed.pages
  const added = withNewWidget(removed, left, 'line').definition
  const { widgets, pages } = withFormer(added, both, 'text1')
  expect(Object.keys(widgets)).toEqual(['text1', 'clock1', 'line1'])
  expect(pages[0]?.items.map(({ widget, x, y }) => [widget, x, y])).toEqual([
    ['text1', 0, 0],
    ['clock1', 4, 0],
    ['line1', 0, 2],
  ])
  expect(pages[0]?.small).toEqual(['text1'])
})
