import { describe, expect, test } from 'bun:test'

import { costPage, costsOf } from '../bench/cost-page.ts'
import { PRICES } from '../bench/prices.ts'

const costs = costsOf(costPage)

test('the page of the cost on Workers has the prices of the benchmark', () => {
  const { workerRequest, objectRequest, rowWritten, rowRead } = PRICES
  const prices =
    `${workerRequest.toFixed(2)} for requests of the Worker, ${objectRequest.toFixed(2)} for calls and alarms of objects, ` +
    `${rowWritten.toFixed(2)} for written rows (deleted rows and each \`setAlarm\` count as written), ${rowRead} for read rows.`
  expect(costPage.replaceAll('\n', ' ')).toContain(prices)
  expect(costs.size).toBeGreaterThan(10)
})

describe.each([...costs])('the dollars of "%s"', (_, { dollars, ...counts }) => {
  test('follow from its counts', () => {
    const { jobCalls, otherCalls, alarms, setAlarms, d1Calls: _unbilled, ...rest } = counts
    const priced = [
      [rest.workerRequests, PRICES.workerRequest],
      ...[jobCalls, otherCalls, alarms].map((one) => [one, PRICES.objectRequest] as const),
      ...[rest.d1RowsRead, rest.objectRowsRead].map((one) => [one, PRICES.rowRead] as const),
      ...[rest.d1RowsWritten, rest.objectRowsWritten, setAlarms].map(
        (one) => [one, PRICES.rowWritten] as const,
      ),
    ] as const
    const computed = priced.reduce((sum, [{ value }, price]) => sum + value * price, 0)
    const rounding = priced.reduce((sum, [one, price]) => sum + one.rounding * price, dollars.rounding)
    expect(Math.abs(computed - dollars.value)).toBeLessThanOrEqual(rounding)
  })
})
