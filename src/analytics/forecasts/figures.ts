import { meanOf, totalOf } from '../../lib/total.ts'
import type { FiguresView } from './schema.ts'
import { stepOf, stepsIn } from './steps.ts'

/** The backtest of a group, as the engine gives it. */
export type Backtest = {
  readonly folds: number
  readonly mae: number | null
  readonly smape: number | null
  readonly mase: number | null
  readonly skill: number | null
  readonly naive: { readonly smape: number | null }
  readonly coverage: Readonly<Record<string, number | null>>
}

const PLACES: Readonly<Record<string, string>> = {
  P1D: 'day',
  P7D: 'week',
  P1M: 'month',
  P3M: 'quarter',
}
const UNITS: Readonly<Record<string, string>> = { ...PLACES, PT1H: 'hour', P1Y: 'year' }

/** The figures of trials for people: how far off, beside the naive forecast, and what the widest interval holds.
 * @param season the season of the naive forecast; null for the last value */
export function figuresOf(
  backtest: Backtest,
  {
    season,
    step,
    horizon,
  }: { readonly season: string | null; readonly step: string; readonly horizon: string },
): FiguresView {
  const { folds, smape, mase, skill, naive, coverage } = backtest
  const measure =
    season === null ? 'the last value' : `the same ${PLACES[step] ?? 'time'} of the ${season} before`
  const parts = [
    smape === null
      ? []
      : [`off by ${percent(smape)} on average over ${counted(folds, 'trial')} of ${lengthOf(horizon, step)}`],
    naive.smape === null ? [] : [`${measure} would be off by ${percent(naive.smape)}`],
    Object.entries(coverage)
      .toSorted(([one], [other]) => Number(one) - Number(other))
      .slice(-1)
      .flatMap(([level, share]) =>
        share === null ? [] : [`${Math.round(share * 100)} % of values were inside the ${level} % band`],
      ),
  ].flat()
  return {
    text: parts.join('; '),
    mase,
    smape,
    naiveSmape: naive.smape,
    skill,
    coverage: { ...coverage },
    folds,
  }
}

/** A horizon in steps, such as 90 days. */
function lengthOf(horizon: string, step: string): string {
  const width = stepOf(step)
  return counted((width && stepsIn(horizon, width)) ?? 0, UNITS[step] ?? 'step')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The figures of all groups: the means of their figures. */
export function meanBacktest(all: readonly Backtest[]): Backtest | null {
  const [first] = all
  if (!first) return null
  const mean = (of: (backtest: Backtest) => number | null) => {
    const found = meanOf(totalOf(all.flatMap((one) => of(one) ?? [])))
    return found === null ? null : rounded(found)
  }
  return {
    folds: Math.max(...all.map(({ folds }) => folds)),
    mae: mean(({ mae }) => mae),
    smape: mean(({ smape }) => smape),
    mase: mean(({ mase }) => mase),
    skill: mean(({ skill }) => skill),
    naive: { smape: mean(({ naive }) => naive.smape) },
    coverage: Object.fromEntries(
      Object.keys(first.coverage).map((level) => [level, mean(({ coverage }) => coverage[level] ?? null)]),
    ),
  }
}

const SHOWN_DIGITS = 4

function rounded(number: number): number {
  return Number(number.toPrecision(SHOWN_DIGITS))
}

function percent(share: number): string {
  return `${share.toFixed(1)} %`
}
