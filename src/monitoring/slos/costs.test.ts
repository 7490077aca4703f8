import { expect, test } from 'bun:test'
import { costOf } from './costs.ts'
import { MINUTE_MS } from '../../lib/time.ts'

const terms = { costsPerMin: 120, currency: 'CHF', riskFactor: 1.5 }
const part = (from: number, to: number) => ({ beginAt: from * MINUTE_MS, endAt: to * MINUTE_MS })

test.each([
  ['45 minutes', [part(0, 45)], 5_400, 8_100],
  ['parts, and nothing for the time between them', [part(0, 30), part(40, 55)], 5_400, 8_100],
  ['half a minute', [part(0, 0.5)], 60, 90],
  ['a third of a second, in hundredths', [part(0, 1 / 180)], 0.67, 1],
  ['no time at all', [part(3, 3)], 0, 0],
])('%s', (_, parts, amount, risk) => {
  expect(costOf(parts, terms)).toEqual({ amount, currency: 'CHF', risk })
})

test('a risk factor of zero leaves no risk, and costs of zero leave nothing', () => {
  expect(costOf([part(0, 10)], { ...terms, riskFactor: 0 })).toMatchObject({ amount: 1_200, risk: 0 })
  expect(costOf([part(0, 10)], { ...terms, costsPerMin: 0 })).toMatchObject({ amount: 0, risk: 0 })
})
