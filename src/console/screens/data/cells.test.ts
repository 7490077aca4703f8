import { expect, test } from 'bun:test'

import { cellText, computedText, resultText, widthsOf } from './cells.ts'

test('a computed number has at most 3 decimals, and below 1 its first 3 digits', () => {
  expect(computedText(1.234_567_890_123_456_7, 'number')).toBe('1.235')
  expect(computedText(-0.000_123_456, 'number')).toBe('-0.000123')
  expect(computedText('12.3450000000000000', 'number')).toBe('12.345')
  expect(computedText(12_000, 'integer')).toBe('12000')
  expect(computedText('123456789012345678', 'integer')).toBe('123456789012345678')
  expect(computedText(null, 'number')).toBe('')
  expect(computedText('1.23456', 'string')).toBe('1.23456')
  // A value that is stored keeps its decimals.
  expect(cellText(1.234_567_890_123_456_7, 'number')).toBe('1.2345678901234567')
})

test('of the numbers of a result only those with more than 9 decimals are rounded', () => {
  expect(resultText(0.1 + 0.2, 'number')).toBe('0.3')
  expect(resultText(4 / 3, 'number')).toBe('1.333')
  expect(resultText('12.3450000000000000', 'number')).toBe('12.345')
  expect(resultText(-1.234_567_890_12e-7, 'number')).toBe('-1.23e-7')
  expect(resultText(53.175_123_456, 'number')).toBe('53.175123456')
  expect(resultText('12345678901234567890.12', 'number')).toBe('12345678901234567890.12')
  expect(resultText('1234567890123.12345678901', 'number')).toBe('1234567890123.12345678901')
  expect(resultText('123456789012345678', 'integer')).toBe('123456789012345678')
  expect(resultText('v1.2345678901', 'string')).toBe('v1.2345678901')
  expect(resultText(null, 'number')).toBe('')
})

test('a column is as wide as the texts of its values', () => {
  const rows = [[1.234_567_890_123_456_7, 1.234_567_890_123_456_7]]
  const columns = [
    { name: 'level', type: 'number' },
    { name: 'mean', type: 'number', textOf: computedText },
  ] as const
  expect(widthsOf(columns, rows)).toEqual([18, 7])
})
