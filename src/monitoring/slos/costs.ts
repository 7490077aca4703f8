import type { Range } from '../../lib/range.ts'

const MINUTE_MS = 60_000

/** What the outages of a service level object cost: money a minute, ISO 4217, and what a risk weighs. */
export type CostTerms = {
  readonly costsPerMin: number
  readonly currency: string
  readonly riskFactor: number
}

/** What an outage costs, in `currency`; `risk` is the amount as heavy as its risk factor makes it. */
export type Cost = { readonly amount: number; readonly currency: string; readonly risk: number }

/** What the time in these parts of an outage costs, rounded to hundredths; time between the parts costs nothing. */
export function costOf(parts: readonly Range[], { costsPerMin, currency, riskFactor }: CostTerms): Cost {
  const ms = parts.reduce((sum, { beginAt, endAt }) => sum + endAt - beginAt, 0)
  const amount = (ms / MINUTE_MS) * costsPerMin
  return { amount: rounded(amount), currency, risk: rounded(amount * riskFactor) }
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100
}
