import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { headline, jobCount, restSentence, troubleOf } from './sentence.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const trouble = (unacknowledged: number, acknowledged = 0) => ({ unacknowledged, acknowledged })

test('the headline counts what is wrong and what no user has acknowledged', () => {
  expect(headline(trouble(0))).toBe('All is well')
  expect(headline(trouble(2))).toBe('2 things are wrong, none is acknowledged')
  expect(headline(trouble(1))).toBe('One thing is wrong and not acknowledged')
  expect(headline(trouble(1, 2))).toBe('3 things are wrong, one\u00a0is not acknowledged')
  expect(headline(trouble(2, 1))).toBe('3 things are wrong, 2\u00a0are not acknowledged')
  expect(headline(trouble(0, 2))).toBe('2 things are wrong, all are acknowledged')
})

test('alarms that are held back by a cause are not counted', () => {
  const free = { assignee: null, suppressedBy: null }
  const items = [free, { ...free, suppressedBy: 7 }, { assignee: {}, suppressedBy: null }]
  expect(troubleOf({ items, nextCursor: null }, trouble(9, 9))).toEqual(trouble(1, 1))
})

test('alarms beyond the page are counted by the service', () => {
  const free = { assignee: null, suppressedBy: null }
  const page = { items: [free], nextCursor: 'more' }
  expect(troubleOf(page, trouble(250, 3))).toEqual(trouble(250, 3))
  expect(troubleOf(page, undefined)).toEqual(trouble(1))
})

test('the rest says how many jobs are well', () => {
  expect(restSentence({})).toBe('There are no jobs yet.')
  expect(jobCount({ ok: 0, major: 0 })).toBe(0)
  expect(restSentence({ ok: 0, major: 0 })).toBe('There are no jobs yet.')
  expect(restSentence({ ok: 408, major: 5 })).toBe('408 of 413 jobs are well.')
  expect(restSentence({ ok: 1 })).toBe('The only job is well.')
})
