import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { headline, jobCount, restSentence } from './sentence.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const free = { assignee: null, suppressedBy: null }
const taken = { assignee: {}, suppressedBy: null }

test('the headline counts what is wrong and what no user has acknowledged', () => {
  expect(headline([])).toBe('All is well')
  expect(headline([free, free])).toBe('2 things are wrong, none is acknowledged')
  expect(headline([free])).toBe('One thing is wrong and not acknowledged')
  expect(headline([free, taken, taken])).toBe('3 things are wrong, one\u00a0is not acknowledged')
  expect(headline([free, free, taken])).toBe('3 things are wrong, 2\u00a0are not acknowledged')
  expect(headline([taken, taken])).toBe('2 things are wrong, all are acknowledged')
})

test('alarms that are held back by a cause are not counted', () => {
  expect(headline([free, { ...free, suppressedBy: 7 }])).toBe('One thing is wrong and not acknowledged')
})

test('the rest says how many jobs are well', () => {
  expect(restSentence({})).toBe('There are no jobs yet.')
  expect(jobCount({ ok: 0, major: 0 })).toBe(0)
  expect(restSentence({ ok: 0, major: 0 })).toBe('There are no jobs yet.')
  expect(restSentence({ ok: 408, major: 5 })).toBe('408 of 413 jobs are well.')
  expect(restSentence({ ok: 1 })).toBe('The only job is well.')
})
