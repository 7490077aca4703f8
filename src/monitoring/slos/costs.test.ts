import { expect, test } from 'bun:test'
import { costOf } from './costs.ts'
import { MINUTE_MS } from '../../lib/time.ts'

const terms = { costsPerMin: 120, currency: 'CHF', riskFactor: 1.5 }
const part = (from: number, to: number) => ({ beginAt: from * MINUTE_MS, endAt: to * MINUTE_MS })

test.each([
  ['the cost of 45 minutes', [part(0, 45)], 5_400, 8_100],
  ['the cost of two parts leaves out the time between them', [part(0, 30), part(40, 55)], 5_400, 8_100],
  ["the cost of half a minute is half of a minute's", [part(0, 0.5)], 60, 90],
  ['the cost of a third of a second is rounded to hundredths', [part(0, 1 / 180)], 0.67, 1],
  ['a range without length costs nothing', [part(3, 3)], 0, 0],
])('%s', (_, parts, amount, risk) => {
  expect(costOf(parts, terms)).toEqual({ amount, currency: 'CHF', risk })
})

test('the risk is zero with a risk factor of zero; both amounts are zero without costs per minute', () => {
  expect(costOf([part(0, 10)], { ...terms, riskFactor: 0 })).toMatchObject({ amount: 1_200, risk: 0 })
  expect(costOf([part(0, 10)], { ...terms, costsPerMin: 0 })).toMatchObject({ amount: 0, risk: 0 })
})
