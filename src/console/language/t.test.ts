import { describe, expect, test } from 'bun:test'

import { changeLanguage, format, languageFor, loadWords, t } from './t.ts'
import type { Words } from './t.ts'

describe('a pattern', () => {
  const cases: readonly [pattern: string, values: Record<string, string | number>, text: string][] = [
    ['plain', {}, 'plain'],
    ['{name} is ok', { name: 'Pump 3' }, 'Pump 3 is ok'],
    ['{count} rows', { count: 12345 }, '12,345 rows'],
    ['{count, plural, one {# job} other {# jobs}}', { count: 1 }, '1 job'],
    ['{count, plural, one {# job} other {# jobs}}', { count: 2 }, '2 jobs'],
    ['{count, plural, =0 {no job} one {# job} other {# jobs}}', { count: 0 }, 'no job'],
    ['{a, plural, other {# of {b, plural, other {#}}}}', { a: 2, b: 9 }, '2 of 9'],
    ['{missing} stays', {}, '{missing} stays'],
    ['{open', { open: 1 }, '1'],
  ]
  test.each(cases)('%s with %o', (pattern, values, text) => expect(format(pattern, values, 'en')).toBe(text))

  test('takes the plural categories of its language', () => {
    const pattern = '{n, plural, one {# tâche} other {# tâches}}'
    expect([0, 1, 2].map((n) => format(pattern, { n }, 'fr'))).toEqual(['0 tâche', '1 tâche', '2 tâches'])
  })
})

test('the language is the first that the console has', () => {
  expect(languageFor(['nl-NL', 'de-CH', 'en'])).toBe('de')
  expect(languageFor(['ja'])).toBe('en')
})

/** Words that arrive when the test says so. */
function slowWords(key: string) {
  const arrivals = { en: Promise.withResolvers<void>(), de: Promise.withResolvers<void>() }
  const read = (language: 'en' | 'de') => async () => {
    await arrivals[language].promise
    return { default: { [key]: language } }
  }
  const words: Words = { en: read('en'), de: read('de'), fr: read('de') }
  return { words, arrive: (language: 'en' | 'de') => arrivals[language].resolve() }
}

test('words that are loaded while the language changes have the new language', async () => {
  Object.assign(globalThis, { document: { documentElement: {} } })
  const early = slowWords('early')
  const late = slowWords('late')
  const loadingEarly = loadWords(early.words)
  const change = changeLanguage('de')
  const loadingLate = loadWords(late.words)
  late.arrive('en')
  await loadingLate
  early.arrive('de')
  late.arrive('de')
  await change
  early.arrive('en')
  await loadingEarly
  expect([t('early'), t('late')]).toEqual(['de', 'de'])
  await changeLanguage('en')
  Reflect.deleteProperty(globalThis, 'document')
})
