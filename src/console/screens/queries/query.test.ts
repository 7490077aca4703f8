import { expect, test } from 'bun:test'

import { bodyOf, draftOf, FRESH_PARAMETER, textBodyOf, valueOf, valuesOf } from './query.ts'
import type { Query } from './query.ts'

const QUERY: Query = {
  id: 1,
  name: 'Orders',
  description: '',
  groupId: 4,
  dataSourceId: 3,
  accessibleFromDashboards: true,
  published: 2,
  state: 'ready',
  result: null,
  materialization: null,
  escaping: 'bind',
  warnings: [],
  hasErrors: false,
  assertions: [],
  text: 'SELECT 1',
  parameters: [
    {
      name: 'region',
      type: 'enum',
      multi: false,
      required: true,
      default: 'north',
      choices: ['north', 'south'],
      valuesQueryId: null,
    },
    {
      name: 'ids',
      type: 'number',
      multi: true,
      required: false,
      default: [1, 2],
      choices: [],
      valuesQueryId: null,
    },
    {
      name: 'since',
      type: 'date',
      multi: false,
      required: false,
      default: null,
      choices: [],
      valuesQueryId: null,
    },
    {
      name: 'site',
      type: 'query',
      multi: false,
      required: false,
      default: null,
      choices: [],
      valuesQueryId: 9,
    },
  ],
  errors: [],
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}

test('a stored query becomes the same body', () => {
  const { name, description, groupId, dataSourceId, accessibleFromDashboards, text, parameters } = QUERY
  const materialization = {
    refresh: 'hourly' as const,
    indexes: [{ columns: ['region'], unique: false }],
    incremental: { column: 'day', key: ['id'], lookback: 'PT1H' },
  }
  const assertions = [{ kind: 'unique' as const, columns: ['id'], min: null, max: null }]
  const kept = { name, description, groupId, dataSourceId, accessibleFromDashboards, text, parameters }
  const legacy = { materialization, assertions, escaping: 'legacy' as const }
  expect(bodyOf(draftOf({ ...QUERY, ...legacy }))).toEqual({ ...kept, ...legacy })
})

test('a text runs in the way in which its draft writes values', () => {
  const { dataSourceId, text } = QUERY
  const draft = draftOf({ ...QUERY, escaping: 'legacy' })
  expect(textBodyOf({ ...draft, parameters: [] }, { other: '1' })).toEqual({
    dataSourceId,
    text,
    parameters: [],
    values: {},
    escaping: 'legacy',
  })
})

test.each([
  ['string', false, ' a ', ' a '],
  ['number', false, '1.5', 1.5],
  ['number', false, 'x', 'x'],
  ['boolean', false, 'false', false],
  ['date', false, ' 2026-01-31 ', '2026-01-31'],
  ['number', true, '1\n\n2\n', [1, 2]],
  ['string', false, ' ', null],
] as const)('%s, multi %p: %p is sent as %p', (type, multi, text, value) => {
  expect(valueOf({ type, multi }, text)).toEqual(value as ReturnType<typeof valueOf>)
})

test('only values that were typed are sent', () => {
  const parameters = [
    { ...FRESH_PARAMETER, name: 'a', type: 'number' as const },
    { ...FRESH_PARAMETER, name: 'b' },
    { ...FRESH_PARAMETER, name: 'c' },
  ]
  expect(valuesOf(parameters, { a: '2', b: ' ' })).toEqual({ a: 2 })
})
