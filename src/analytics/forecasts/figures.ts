import type { FiguresView } from './schema.ts'

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

const SEASONS: Readonly<Record<string, string>> = {
  day: 'the same time of the day before',
  week: 'the same time of the week before',
  year: 'the same time of the year before',
}

/** The figures of trials for people.
 * @param season the season of the naive forecast; null for the last value */
export function figuresOf(
  backtest: Backtest,
  { season, horizonSteps }: { readonly season: string | null; readonly horizonSteps: number },
): FiguresView {
  const { folds, smape, mase, skill, naive, coverage } = backtest
  const measure = SEASONS[season ?? ''] ?? 'the last value'
  const parts = [
    smape === null
      ? []
      : [
          `off by ${percent(smape)} on average over ${folds} ${folds === 1 ? 'trial' : 'trials'} of ${horizonSteps} steps`,
        ],
    naive.smape === null ? [] : [`${measure} would be off by ${percent(naive.smape)}`],
    Object.entries(coverage)
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

/** The figures of all groups: the means of their figures. */
export function meanBacktest(all: readonly Backtest[]): Backtest | null {
  const [first] = all
  if (!first) return null
  const mean = (of: (backtest: Backtest) => number | null) => {
    const numbers = all.flatMap((one) => of(one) ?? [])
    return numbers.length === 0 ? null : rounded(numbers.reduce((sum, one) => sum + one, 0) / numbers.length)
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
