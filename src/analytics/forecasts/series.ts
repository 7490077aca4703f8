import { Temporal } from 'temporal-polyfill'
import { numberOfCell } from '../../domain/table.ts'
import type { Cell, Column, Row } from '../../domain/table.ts'
import { invalidAt, Refusal } from '../../lib/errors.ts'
import type { Definition, RowSource } from './definition.ts'
import { engineStep, stepOf, stepsIn } from './steps.ts'

const GROUPS_MAX = 1_000
const POINTS_MAX = 2_000_000

/** A series as the engine takes it: instants, values and regressors, point by point. */
export type Series = {
  readonly t: number[]
  readonly y: (number | null)[]
  readonly x: (number | null)[][]
}

/** The series of a source, each with the values of its group columns. */
export type SeriesSet = {
  readonly groups: readonly { readonly key: readonly Cell[]; readonly series: Series }[]
}

/** The series of a source, and the columns of its groups. */
export type SourceSeries = SeriesSet & { readonly groupColumns: readonly Column[] }

type Result = {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly Row[]
}

/** The series in the rows of a table or data query; columns keep their names.
 * @param since earlier rows are left out
 * @throws {Refusal} invalid for columns that are not there or are of another type, too_many_groups */
export function seriesOfRows(
  { columns, rows }: Result,
  source: RowSource,
  { since, timeZone }: { readonly since: number; readonly timeZone: string },
): SeriesSet {
  const placeOf = (name: string, pointer: string) => {
    const place = columns.findIndex((column) => column.name === name)
    if (place < 0) throw invalidAt(`/source${pointer}`, 'is not a column of the source')
    return place
  }
  const time = placeOf(source.timeColumn, '/timeColumn')
  const value = placeOf(source.valueColumn, '/valueColumn')
  const groupPlaces = source.groupColumns.map((name, at) => placeOf(name, `/groupColumns/${at}`))
  const regressors = source.regressors.map(({ column }, at) => placeOf(column, `/regressors/${at}/column`))
  const instantOf = instantReader(timeZone)
  const found = new Map<string, { key: Cell[]; series: Series }>()
  for (const row of rows) {
    const at = instantOf(row[time] ?? null)
    if (at === null || at < since) continue
    const key = groupPlaces.map((place) => row[place] ?? null)
    const name = JSON.stringify(key)
    let group = found.get(name)
    if (!group) found.set(name, (group = { key, series: { t: [], y: [], x: regressors.map(() => []) } }))
    group.series.t.push(at)
    group.series.y.push(numberOfCell(row[value] ?? null))
    for (const [index, place] of regressors.entries())
      group.series.x[index]?.push(numberOfCell(row[place] ?? null))
  }
  return { groups: [...found.values()] }
}

function instantReader(timeZone: string): (cell: Cell) => number | null {
  const days = new Map<string, number | null>()
  const instantOf = (text: string) => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
    try {
      return isDay
        ? Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds
        : Temporal.Instant.from(text).epochMilliseconds
    } catch {
      throw invalidAt('/source/timeColumn', 'must be a column of days or instants')
    }
  }
  return (cell) => {
    if (cell === null) return null
    const text = String(cell)
    let at = days.get(text)
    if (at === undefined) days.set(text, (at = instantOf(text)))
    return at
  }
}

/** How the engine joins values of one step, which rows bring or finer buckets. */
const DUPLICATES = {
  avg: 'mean',
  sum: 'sum',
  min: 'min',
  max: 'max',
  last: 'last',
  count: 'count',
  p95: 'max',
} as const

/** The input of the engine: the order, then a line for each series.
 * @throws {Refusal} invalid without a series, query_too_large */
export function inputOf(
  definition: Definition,
  { groups, groupColumns }: SourceSeries,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): string {
  if (groups.length === 0)
    throw new Refusal('invalid', 'The source has no rows in the history of the forecast.')
  if (groups.length > GROUPS_MAX)
    throw new Refusal(
      'query_too_large',
      `forecast.too_many: the source has ${groups.length} groups; at most ${GROUPS_MAX} are possible.`,
    )
  const points = groups.reduce((sum, { series }) => sum + series.t.length, 0)
  if (points > POINTS_MAX)
    throw new Refusal(
      'query_too_large',
      `forecast.too_many: the source has ${points} points; at most ${POINTS_MAX} are possible.`,
    )
  const { source, model, step, horizon, levels, backtest, gaps, bounds, transform, keepOutliers } = definition
  const width = stepOf(step)
  const isCounted = source.type === 'job' && source.aggregate === 'count'
  const order = {
    v: 1,
    kind: model.kind,
    params: model.params,
    search: model.search,
    holidays: definition.holidays,
    horizon: width && stepsIn(horizon, width),
    step: engineStep(step),
    zone: timeZone,
    levels,
    folds: backtest.folds,
    metric: backtest.metric,
    gaps,
    duplicates: isCounted ? 'sum' : DUPLICATES[source.aggregate],
    transform,
    bounds,
    keepOutliers,
    seed: 1,
    now,
    keyTypes: groupColumns.map(({ type }) => type),
    regressors: source.type === 'job' ? [] : source.regressors.map(({ future }) => ({ future })),
  }
  const lines = groups.map(({ key, series }, id) => JSON.stringify({ id, key, ...series }))
  return `${[JSON.stringify(order), ...lines].join('\n')}\n`
}
