import { expect, test } from 'bun:test'

import { columnsInUrl, nextSort, selectBody, selectedInUrl, sortInUrl, sortText } from './selection.ts'

test('a click sorts up, then down, then not; another column begins anew', () => {
  const up = nextSort(null, 'a')
  const down = nextSort(up, 'a')
  expect([up, down, nextSort(down, 'a'), nextSort(up, 'b')]).toEqual([
    { column: 'a', dir: 'asc' },
    { column: 'a', dir: 'desc' },
    null,
    { column: 'b', dir: 'asc' },
  ])
})

test.each(['+a', '-a', '--a', '+ a'])('the sort %s stays the same in the address', (text) => {
  expect(sortText(sortInUrl(text))).toBe(text)
})

test('an address may have anything', () => {
  for (const text of ['', '+', 'a', '*a']) expect(sortInUrl(text)).toBeNull()
  for (const text of ['', '{', '{}', '[]', '["gone"]', '[1]']) expect(columnsInUrl(text, ['a'])).toBeNull()
  expect(columnsInUrl('["b","gone","a"]', ['a', 'b'])).toEqual(['b', 'a'])
  const columns = [{ name: 'a', type: 'string' }] as const
  expect(selectedInUrl({ filter: '{', sort: '+gone', columns: '', summary: '[' }, columns)).toEqual({
    filter: null,
    sort: null,
    columns: null,
    summary: null,
  })
})

test('a summary is sorted by the columns of its result', () => {
  const columns = [{ name: 'a', type: 'string' }] as const
  const summary = { groupBy: [], aggregates: [{ fn: 'COUNT', column: null }] }
  const inUrl = (sort: string) =>
    selectedInUrl({ filter: '', sort, columns: '["a"]', summary: JSON.stringify(summary) }, columns)
  expect(inUrl('-count').sort).toEqual({ column: 'count', dir: 'desc' })
  expect(inUrl('+a').sort).toBeNull()
  expect(selectBody(inUrl(''))).toEqual({
    groupBy: [],
    aggregates: [{ fn: 'COUNT', as: 'count', expr: '*' }],
  })
})

test('a select names only the parts that were chosen', () => {
  expect(selectBody({ filter: null, sort: null, columns: null, summary: null })).toEqual({})
  expect(
    selectBody({
      filter: { column: 'a', op: 'is_null' },
      sort: { column: 'a', dir: 'desc' },
      columns: ['a'],
      summary: null,
    }),
  ).toEqual({
    filter: { column: 'a', op: 'is_null' },
    orderBy: [{ column: 'a', dir: 'desc' }],
    columns: ['a'],
  })
})
