import type { Range } from '../../lib/range.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** The cost terms of a service level object: money per minute, ISO 4217 currency, and risk factor. */
export type CostTerms = {
  readonly costsPerMin: number
  readonly currency: string
  readonly riskFactor: number
}

/** The cost of an outage in `currency`; `risk` is the amount multiplied by the risk factor. */
export type Cost = { readonly amount: number; readonly currency: string; readonly risk: number }

/** The cost of the time in these parts of an outage, rounded to hundredths; time between the parts is free. */
export function costOf(parts: readonly Range[], { costsPerMin, currency, riskFactor }: CostTerms): Cost {
  const ms = parts.reduce((sum, { beginAt, endAt }) => sum + endAt - beginAt, 0)
  const amount = (ms / MINUTE_MS) * costsPerMin
  return { amount: rounded(amount), currency, risk: rounded(amount * riskFactor) }
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100
}
