import * as z from 'zod'
import type { ForecastBand } from '../../domain/forecast-band.ts'
import { COLUMN_TYPES } from '../../domain/table.ts'
import type { Column, ColumnType, Row } from '../../domain/table.ts'
import { meanBacktest } from './figures.ts'
import type { Backtest } from './figures.ts'
import type { Quality, Source } from './definition.ts'

/** Groups whose predicted buckets are kept for reads of bands. */
const SHOWN_GROUPS = 100
/** Buckets that the actor of a job gets at most. */
const BAND_BUCKETS_MAX = 400

const numbers = z.array(z.number().nullable())
const key = z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
const head = z.object({ v: z.literal(1), keyTypes: z.array(z.enum(COLUMN_TYPES)) })
const backtest = z.object({
  folds: z.int(),
  mae: z.number().nullable(),
  smape: z.number().nullable(),
  mase: z.number().nullable(),
  skill: z.number().nullable(),
  naive: z.object({ smape: z.number().nullable() }),
  coverage: z.record(z.string(), z.number().nullable()),
})
const pastLine = z
  .object({
    t: z.array(z.int()),
    y: numbers,
    mean: numbers.nullable().default(null),
    anomaly: z
      .array(z.union([z.literal(-1), z.literal(0), z.literal(1)]).nullable())
      .nullable()
      .default(null),
  })
  .catchall(z.json())
const predicted = z
  .object({
    id: z.int().min(0),
    key,
    points: z.int(),
    kind: z.string(),
    t: z.array(z.int()),
    endAt: z.int(),
    mean: numbers,
    past: pastLine,
    season: z.string().nullable(),
    backtest: backtest.nullable(),
    quality: z.enum(['good', 'fair', 'worse_than_naive', 'untested']),
    notes: z.record(z.string(), z.json()),
    cpuMs: z.number(),
    error: z.null(),
  })
  .catchall(z.json())
const failed = z.object({
  id: z.int().min(0),
  key,
  points: z.int(),
  error: z.object({ code: z.string().max(64), detail: z.string().max(1_000) }),
})
const outcomeLine = z.union([predicted, failed])

type Predicted = z.output<typeof predicted>
export type OutcomeLine = z.output<typeof outcomeLine>

/** The outcome of a group, without its points. */
export type GroupOutcome = {
  readonly kind: string | null
  readonly points: number
  readonly season: string | null
  readonly backtest: Backtest | null
  /** How many of the last values were outside of their interval; null without a trial. */
  readonly anomalies: number | null
  readonly notes: Readonly<Record<string, z.core.util.JSONType>>
  readonly error: { readonly code: string; readonly detail: string } | null
}

/** The last values of a history beside the predictions of the last trial, which are null without a trial. */
export type Past = {
  readonly t: readonly number[]
  readonly y: readonly (number | null)[]
  readonly mean: readonly (number | null)[] | null
  readonly levels: ForecastBand['levels']
  /** 1 above and -1 below the interval of the highest level, 0 within it. */
  readonly anomaly: readonly (Anomaly | null)[] | null
}

export type Anomaly = -1 | 0 | 1

export type Points = {
  readonly begins: readonly number[]
  readonly endAt: number
  readonly mean: readonly (number | null)[]
  readonly levels: ForecastBand['levels']
  readonly past: Past
}

/** The rights with which the series of a run were read. The forecast may have another owner and another source since. */
export type SourceReading = {
  readonly ownerId: number
  readonly source: Source
  /** Changes whenever the owner may see other rows; see `sightsMark`. */
  readonly mark: string
}

/** The outcomes of all groups in one, before the table of results has an id. */
export type PublishedSummary = Omit<Summary, 'tableId'>

/** The outcomes of all groups in one. */
export type Summary = {
  readonly groups: number
  readonly failed: number
  readonly quality: Partial<Record<Quality, number>>
  readonly season: string | null
  readonly backtest: Backtest | null
  /** The end of the predicted buckets. */
  readonly endAt: number
  /** The table of results; null without one. */
  readonly tableId: number | null
  /** Absent in results of older releases, which only administrators see. */
  readonly reading?: SourceReading
}

/** The outcome of a group of a run, and the types of the group columns. */
export type TypedOutcome = { readonly keyTypes: readonly ColumnType[]; readonly line: OutcomeLine }

/** Reads the lines of a result file. @throws {Error} for lines that do not come from the engine */
export async function* readOutcomes(lines: AsyncIterable<string>): AsyncGenerator<TypedOutcome, void> {
  let keyTypes: readonly ColumnType[] | null = null
  for await (const line of lines) {
    if (keyTypes) yield { keyTypes, line: outcomeLine.parse(JSON.parse(line)) }
    else ({ keyTypes } = head.parse(JSON.parse(line)))
  }
}

export function isPredicted(outcome: OutcomeLine): outcome is Predicted {
  return outcome.error === null
}

const NOTHING = { kind: null, season: null, backtest: null, anomalies: null, notes: {} }

export function groupOutcome(outcome: OutcomeLine): {
  readonly quality: Quality
  readonly outcome: GroupOutcome
} {
  const { points } = outcome
  if (!isPredicted(outcome))
    return {
      quality: 'failed',
      outcome: { ...NOTHING, points, error: outcome.error },
    }
  const { kind, season, notes, quality, backtest: trials, past } = outcome
  const anomalies = past.anomaly?.filter((one) => one !== null && one !== 0).length ?? null
  return { quality, outcome: { kind, points, season, backtest: trials, anomalies, notes, error: null } }
}

/** The predicted buckets of a group; null for a failed group, and beyond the first groups. */
export function pointsOf(outcome: OutcomeLine, levels: readonly number[]): Points | null {
  if (!isPredicted(outcome) || outcome.id >= SHOWN_GROUPS) return null
  const { t: begins, endAt, mean } = outcome
  return { begins, endAt, mean, past: pastOf(outcome, levels), levels: boundsOf(outcome, levels) }
}

function pastOf({ past }: Predicted, levels: readonly number[]): Past {
  const { t, y, mean, anomaly } = past
  return { t, y, mean, anomaly, levels: boundsOf(past, levels) }
}

type Bounded = Readonly<Record<string, unknown>>

function boundsOf(outcome: Bounded, levels: readonly number[]): ForecastBand['levels'] {
  return Object.fromEntries(
    levels.flatMap((level) => {
      const lower = numbers.nullish().parse(outcome[`lo${level}`])
      const upper = numbers.nullish().parse(outcome[`hi${level}`])
      if (!lower || !upper) return []
      return [[String(level), lower.map((low, at) => [low ?? 0, upper[at] ?? 0] as const)]]
    }),
  )
}

/** The band of a value of a job from the points of a group. */
export function bandOf(
  points: Points,
  about: Pick<ForecastBand, 'forecastId' | 'key' | 'madeAt'>,
): ForecastBand {
  const begins = points.begins.slice(0, BAND_BUCKETS_MAX)
  const levels = Object.fromEntries(
    Object.entries(points.levels).map(([level, bounds]) => [level, bounds.slice(0, BAND_BUCKETS_MAX)]),
  )
  const means = points.mean.slice(0, BAND_BUCKETS_MAX)
  return { ...about, begins, endAt: points.begins[BAND_BUCKETS_MAX] ?? points.endAt, means, levels }
}

export function summaryOf(
  groups: readonly { readonly quality: Quality; readonly outcome: GroupOutcome }[],
  about: Pick<Summary, 'endAt' | 'reading'>,
): PublishedSummary {
  const good = groups.filter(({ quality }) => quality !== 'failed')
  const quality: Partial<Record<Quality, number>> = {}
  for (const { quality: name } of groups) quality[name] = (quality[name] ?? 0) + 1
  return {
    groups: groups.length,
    failed: groups.length - good.length,
    quality,
    season: good[0]?.outcome.season ?? null,
    backtest: meanBacktest(good.flatMap(({ outcome }) => outcome.backtest ?? [])),
    ...about,
  }
}

/** The columns of the table of results: the group columns under their own names, then ours. */
export function resultColumns(groupColumns: readonly Column[], levels: readonly number[]): Column[] {
  return [
    ...groupColumns,
    { name: 'ds', type: 'datetime' },
    { name: 'y', type: 'number' },
    { name: 'yhat', type: 'number' },
    ...levels.flatMap((level): Column[] => [
      { name: `yhat_lower_${level}`, type: 'number' },
      { name: `yhat_upper_${level}`, type: 'number' },
    ]),
    { name: 'kind', type: 'string' },
    { name: 'anomaly', type: 'integer' },
    { name: 'run_id', type: 'string' },
  ]
}

/** The rows of a group: the last values of its history, then its forecast. */
export function resultRows(
  outcome: Predicted,
  { levels, runId }: { readonly levels: readonly number[]; readonly runId: string },
): Row[] {
  const { key: values } = outcome
  const past = pastOf(outcome, levels)
  const bounds = boundsOf(outcome, levels)
  const around = (of: ForecastBand['levels'], index: number) =>
    levels.flatMap((level) => of[level]?.[index] ?? [null, null])
  const dated = (at: number) => new Date(at).toISOString()
  return [
    ...past.t.map((at, index): Row => [
      ...values,
      dated(at),
      past.y[index] ?? null,
      past.mean?.[index] ?? null,
      ...around(past.levels, index),
      'history',
      past.anomaly?.[index] ?? null,
      runId,
    ]),
    ...outcome.t.map((at, index): Row => {
      const mean = outcome.mean[index] ?? null
      return [...values, dated(at), null, mean, ...around(bounds, index), 'forecast', null, runId]
    }),
  ]
}
