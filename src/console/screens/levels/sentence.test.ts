import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { shareLeft, steadyShare } from '../../kit/charts/budget.ts'
import { budgetSentence, listSentence } from './sentence.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const period = { begin: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' }
const budget = {
  period,
  creditTotal: 25_920,
  creditUsed: 4_320,
  creditLeft: 21_600,
  burnRate1h: null,
  projectedBreachAt: null,
}

test('the list counts what is in trouble', () => {
  expect(listSentence([])).toBe('There are no service levels yet.')
  expect(listSentence(['ok', 'maintenance_ok'])).toBe('All 2 service levels are well.')
  expect(listSentence(['ok', 'major', 'warning'])).toBe('2 of 3 service levels are in trouble.')
})

test('the share that is left is never below nothing', () => {
  expect([
    shareLeft(budget),
    shareLeft({ ...budget, creditLeft: -5 }),
    shareLeft({ ...budget, creditTotal: 0 }),
  ]).toEqual([21_600 / 25_920, 0, null])
  expect(steadyShare(period, Date.parse('2026-11-16T00:00:00Z'))).toBe(0.5)
})

test('a burn rate becomes minutes of the last hour', () => {
  expect(budgetSentence(budget)).toStartWith('6')
  // 25,920 seconds of 30 days are 1 %: at a rate of 100 all 60 minutes of an hour are down.
  expect(budgetSentence({ ...budget, burnRate1h: 100 })).toContain('60 of the last 60 minutes')
  expect(budgetSentence({ ...budget, creditLeft: 0 })).toContain('used up')
  expect(budgetSentence({ ...budget, creditTotal: 0 })).toBe('This period has no budget.')
})
