import { afterAll, expect, test } from 'bun:test'

import { language } from '../language/t.ts'
import { agreedText, availabilityText, percentText, unitText } from './numbers.ts'

afterAll(() => void (language.value = 'en'))

test.each([
  ['en', '71%', '99.900%', '99.9995%', '80%'],
  ['de', '71\u00a0%', '99,900\u00a0%', '99,9995\u00a0%', '80\u00a0%'],
  ['fr', '71\u00a0%', '99,900\u00a0%', '99,9995\u00a0%', '80\u00a0%'],
] as const)('a percentage in %s has the space and the decimals of its language', (one, ...texts) => {
  language.value = one
  const [share, measured, agreed, warnAt] = texts
  expect(percentText(0.71)).toBe(share)
  expect(unitText('71', '%')).toBe(share)
  expect(availabilityText(99.9)).toBe(measured)
  expect(availabilityText(99.9995)).toBe(agreed)
  expect(agreedText(80)).toBe(warnAt)
})

test('an availability of 99.999 is not 100, and none is a dash', () => {
  language.value = 'en'
  expect([availabilityText(99.999), availabilityText(99.365), availabilityText(null)]).toEqual([
    '99.999%',
    '99.365%',
    '–',
  ])
})

test('a number without a unit stands alone', () => {
  expect([unitText('7', ''), unitText('7', 'm')]).toEqual(['7', '7\u00a0m'])
})
