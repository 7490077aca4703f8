import { durationText, timeText } from '../../kit/time.tsx'
import { rankOf } from '../../kit/state.tsx'
import type { ApiState } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'

/** The budget of a container in its present period; credits are seconds. */
export type Budget = {
  readonly period: { readonly begin: string; readonly end: string }
  readonly creditTotal: number
  readonly creditUsed: number
  readonly creditLeft: number
  readonly burnRate1h: number | null
  readonly projectedBreachAt: string | null
}

const WARNING_RANK = 3

/** How many service levels are in trouble. */
export function listSentence(states: readonly ApiState[]): string {
  if (states.length === 0) return t('levels.sentenceNone')
  const bad = states.filter((state) => rankOf(state) >= WARNING_RANK).length
  return bad === 0
    ? t('levels.sentenceWell', { count: states.length })
    : t('levels.sentenceBad', { count: bad, total: states.length })
}

export const SECOND_MS = 1_000

/** The rest of the budget, its burn rate, and the time at which the budget ends at this rate. */
export function budgetSentence(budget: Budget): string {
  const { creditTotal, creditUsed, creditLeft, burnRate1h, projectedBreachAt } = budget
  if (creditTotal <= 0) return t('levels.noBudget')
  const left = t(creditLeft > 0 ? 'levels.left' : 'levels.used', {
    left: durationText(creditLeft * SECOND_MS),
    used: durationText(creditUsed * SECOND_MS),
    total: durationText(creditTotal * SECOND_MS),
  })
  const down = burnRate1h === null ? 0 : Math.round(burnMinutes(burnRate1h, budget))
  const burn = down > 0 ? t('levels.burning', { minutes: down }) : ''
  const breach =
    projectedBreachAt !== null && creditLeft > 0
      ? t('levels.breach', { time: timeText(projectedBreachAt) })
      : ''
  return [left, burn, breach].filter((part) => part !== '').join(' ')
}

/** Minutes down in the last hour: a burn rate of 1 uses the budget up exactly at the end of the period. */
function burnMinutes(rate: number, { creditTotal, period }: Budget): number {
  const periodMs = Date.parse(period.end) - Date.parse(period.begin)
  return (rate * creditTotal * SECOND_MS * 60) / periodMs
}
