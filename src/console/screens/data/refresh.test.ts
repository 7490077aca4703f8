import { expect, test } from 'bun:test'

import { courseOf, everyOptions, refreshBody, refreshDraftOf, refusedCopy } from './refresh.ts'
import type { Refresh } from './refresh.ts'

const NEVER = {
  refreshedAt: null,
  age: null,
  nextRefreshAt: null,
  isRefreshing: false,
  failures: 0,
  failedAt: null,
  errorCode: null,
}
const ORDERS: Refresh = {
  table: 'orders',
  from: {
    kind: 'foreign',
    dataSourceId: 4,
    table: 'shop_orders',
    columns: ['id', 'region'],
    filter: { column: 'region', op: 'eq', value: 'north' },
  },
  every: 'PT1H',
  state: NEVER,
  error: null,
}

test('a copy that is not changed is sent back as it is', () => {
  const { from, every } = ORDERS
  expect(refreshBody(refreshDraftOf(ORDERS), ORDERS)).toEqual({ from, every })
})

test('a filter that the form cannot show stays', () => {
  const filter = { not: { or: [{ column: 'a', op: 'eq', value: 1 }] } }
  const refresh = { ...ORDERS, from: { ...ORDERS.from, filter } } as Refresh
  expect(refreshDraftOf(refresh).conditions).toBeNull()
  expect(refreshBody(refreshDraftOf(refresh), refresh)).toMatchObject({ from: { filter } })
})

test('of a table that a script fills only the time between refreshes changes', () => {
  const { userId, ...script } = {
    kind: 'script' as const,
    scriptId: 5,
    runConfigurationId: null,
    output: 'tides.csv',
    file: { kind: 'ndjson' as const },
    values: { nulls: [''], decimal: '.' as const, dateFormats: [], timeZone: 'UTC' },
    columns: [{ source: 'level', name: 'level', type: 'number' as const }],
    userId: 2,
  }
  const refresh: Refresh = { ...ORDERS, from: { ...script, userId } }
  const draft = { ...refreshDraftOf(refresh), every: 'P1D' }
  expect(refreshBody(draft, refresh)).toEqual({ from: script, every: 'P1D' })
})

test('a new copy has all columns and all rows, on demand', () => {
  const draft = { ...refreshDraftOf(null), table: 'copy', dataSourceId: '4', from: 'orders' }
  expect(refusedCopy(draft)).toBeUndefined()
  expect(refreshBody(draft, null)).toEqual({
    from: { kind: 'foreign', dataSourceId: 4, table: 'orders', columns: null, filter: null },
    every: null,
  })
  expect(refusedCopy({ ...draft, from: '' })).toBeString()
  expect(refusedCopy({ ...draft, columns: [] })).toBeString()
  expect(refusedCopy({ ...draft, table: ' ' })).toBeString()
})

test('a time between refreshes that the form does not offer can be kept', () => {
  expect(everyOptions('PT7M').map(({ value }) => value)).toContain('PT7M')
  expect(everyOptions('PT1H')).toHaveLength(7)
})

test('a refresh that goes on is named before its failures', () => {
  expect(courseOf(NEVER)).toBe('never')
  expect(courseOf({ ...NEVER, failures: 2 })).toBe('failing')
  expect(courseOf({ ...NEVER, failures: 2, isRefreshing: true })).toBe('running')
  expect(courseOf({ ...NEVER, refreshedAt: '2026-11-25T12:00:00Z' })).toBe('fresh')
})
