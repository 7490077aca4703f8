import { expect, test } from 'bun:test'

import { bucketsOf, functionsOf, namesIn, summaryBody, summaryInUrl } from './summary.ts'
import type { Summary } from './summary.ts'

const COLUMNS = [
  { name: 'region', type: 'string' },
  { name: 'at', type: 'datetime' },
  { name: 'amount', type: 'number' },
] as const
const SUMMARY: Summary = {
  groupBy: [
    { column: 'region', bucket: '' },
    { column: 'at', bucket: 'P1M' },
  ],
  aggregates: [
    { fn: 'COUNT', column: null },
    { fn: 'PERCENTILE', column: 'amount' },
  ],
}

test('a summary becomes the groups and aggregates of the API', () => {
  expect(summaryBody(SUMMARY, 'Europe/Zurich')).toEqual({
    groupBy: [
      { column: 'region', as: 'region' },
      { column: 'at', as: 'at', bucket: 'P1M', timeZone: 'Europe/Zurich' },
    ],
    aggregates: [
      { fn: 'COUNT', as: 'count', expr: '*' },
      { fn: 'PERCENTILE', as: 'p95_amount', column: 'amount', p: 0.95 },
    ],
  })
})

test('the address has a summary whose columns and functions the table has', () => {
  const inUrl = (summary: unknown) => summaryInUrl(JSON.stringify(summary), COLUMNS)
  expect(inUrl(SUMMARY)).toEqual(SUMMARY)
  expect(inUrl({ aggregates: [{ fn: 'SUM', column: 'region' }] })).toBeNull()
  expect(inUrl({ aggregates: [{ fn: 'SUM', column: null }] })).toBeNull()
  expect(
    inUrl({ groupBy: [{ column: 'gone', bucket: '' }], aggregates: [{ fn: 'COUNT', column: null }] }),
  ).toBeNull()
  expect(
    inUrl({ groupBy: [{ column: 'region', bucket: 'P1D' }], aggregates: [{ fn: 'COUNT', column: null }] }),
  ).toBeNull()
  expect(inUrl({ groupBy: [{ column: 'region', bucket: '' }] })).toBeNull()
  expect(summaryInUrl('no JSON', COLUMNS)).toBeNull()
  expect(summaryInUrl('', COLUMNS)).toBeNull()
})

test('names of the result are there once', () => {
  expect(
    namesIn({
      groupBy: [
        { column: 'count', bucket: '' },
        { column: 'at', bucket: 'P1D' },
        { column: 'at', bucket: 'P1Y' },
      ],
      aggregates: [
        { fn: 'COUNT', column: null },
        { fn: 'SUM', column: 'amount' },
        { fn: 'SUM', column: 'amount' },
      ],
    }),
  ).toEqual(['count', 'at', 'at_2', 'count_2', 'sum_amount', 'sum_amount_2'])
})

test('functions and buckets depend on the type', () => {
  expect(functionsOf('integer')).toContain('MEDIAN')
  expect(functionsOf('string')).toEqual(['COUNT', 'MIN', 'MAX', 'DISTINCT_COUNT'])
  expect(functionsOf('json')).toEqual(['COUNT'])
  expect(bucketsOf('date')).not.toContain('PT1H')
  expect(bucketsOf('string')).toEqual([''])
})
