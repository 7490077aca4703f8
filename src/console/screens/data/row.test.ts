import { expect, test } from 'bun:test'

import { changedRow, draftOf, guessedKey, insertedRow, keyColumns, keyFilter, valueOf } from './row.ts'
import type { Shown } from './row.ts'

const ROW: readonly Shown[] = [
  { name: 'name', type: 'string', value: 'Harlingen' },
  { name: 'id', type: 'integer', value: 7 },
  { name: 'level', type: 'number', value: null },
  { name: 'more', type: 'json', value: '{}' },
]

test.each([
  ['integer', '12', 12],
  ['integer', '9007199254740993', '9007199254740993'],
  ['number', ' 1.5 ', 1.5],
  ['number', '1e5', '1e5'],
  ['number', 'x', 'x'],
  ['boolean', 'true', true],
  ['boolean', 'maybe', 'maybe'],
  ['string', '12', '12'],
  ['string', null, null],
] as const)('a %s of %p is sent as %p', (type, text, value) => {
  expect(valueOf(type, text)).toBe(value)
})

test('a change has the key and the changed values alone', () => {
  const draft = { ...draftOf(ROW), level: '2.5' }
  expect(changedRow(ROW, draft, ['id'])).toEqual({ id: 7, level: 2.5 })
  expect(changedRow(ROW, draftOf(ROW), ['id'])).toBeNull()
  expect(changedRow(ROW, { ...draftOf(ROW), name: null }, ['id'])).toEqual({ id: 7, name: null })
})

test('a new row has each column', () => {
  expect(insertedRow(ROW, { id: '8' })).toEqual({ id: 8, name: null, level: null, more: null })
})

test('a row is found by columns with a value: the ones of the last time, or one called id', () => {
  expect(keyColumns(ROW)).toEqual(['name', 'id'])
  expect(guessedKey(ROW, [])).toEqual(['id'])
  expect(guessedKey(ROW, ['name'])).toEqual(['name'])
  expect(guessedKey(ROW, ['level'])).toEqual(['id'])
  expect(guessedKey([{ name: 'a', type: 'string', value: null }], [])).toEqual([])
  const [station, measured, level] = [
    { name: 'station', type: 'string', value: 'Texel' },
    { name: 'measured', type: 'datetime', value: '2026-11-25T12:00:00Z' },
    { name: 'level', type: 'number', value: 1.2 },
  ] as const
  expect(guessedKey([level, station, measured], [])).toEqual(['station', 'measured'])
  expect(guessedKey([station, measured], [])).toEqual(['station'])
  expect(guessedKey([level], [])).toEqual(['level'])
  expect(keyFilter(ROW, ['id'])).toEqual({ and: [{ column: 'id', op: 'eq', value: 7 }] })
})
