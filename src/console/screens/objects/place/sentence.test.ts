import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../../language/t.ts'
import { words } from '../words.ts'
import { placeSentence } from './sentence.ts'

beforeAll(() => loadWords(words))

const say = (counts: Record<string, number>, names: readonly string[] = []): string =>
  placeSentence({ counts, hasChildren: true, reasons: names.map((name) => ({ name })) })

test('an empty place asks for something to watch', () => {
  expect(placeSentence({ counts: {}, hasChildren: false, reasons: [] })).toBe('Nothing is here yet.')
  expect(say({ ok: 0, major: 0 })).toBe('No jobs are below yet.')
})

test('jobs that are well are counted', () => {
  expect(say({ ok: 14 })).toBe('All 14 jobs are well.')
  expect(say({ ok: 1 })).toBe('The only job is well.')
})

test('trouble is counted and the jobs that cause it are named', () => {
  expect(say({ ok: 12, minor: 1, major: 1 }, ['Pump 2', 'Outer level'])).toBe(
    '2 of 14 jobs are in trouble: Pump 2, Outer level.',
  )
  expect(say({ major: 1 }, ['Pump 2'])).toBe('The only job is in trouble: Pump 2.')
  expect(say({ major: 5, ok: 1 }, ['A', 'B', 'C', 'D', 'E'])).toBe(
    '5 of 6 jobs are in trouble: A, B, C and 2 more.',
  )
  expect(say({ major: 1, warning: 2, ok: 17 }, ['Pump 2'])).toBe(
    '3 of 20 jobs are in trouble, the worst: Pump 2.',
  )
  expect(say({ major: 2, ok: 1 })).toBe('2 of 3 jobs are in trouble.')
})

test('maintenance and missing data are no trouble, and are said', () => {
  expect(say({ ok: 3, maintenance_major: 1, undefined: 2 })).toBe(
    '3 of 6 jobs are well, 1 is in maintenance, 2 have no data.',
  )
})
