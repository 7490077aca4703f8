import { expect, test } from 'bun:test'

import type { Definition, Page } from '../dashboard.ts'
import { withNewWidget, withoutWidget } from './draft.ts'

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
