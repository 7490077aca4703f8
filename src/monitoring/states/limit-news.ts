import type { Operator, Thresholds } from '../../domain/job-rules.ts'
import type { Level } from '../../domain/state.ts'
import { knownCellOf } from './band.ts'
import { sidesOf } from './limit-kinds.ts'
import { predictionsOf } from './shown-limits.ts'
import type { Counter } from './thresholds.ts'

/** The news of a predicted or adaptive condition: a limit will be passed, or a value is not usual. */
export type LimitNews =
  | {
      readonly kind: 'predicted'
      readonly key: string
      readonly relation: Relation
      readonly limit: number
      /** When the predicted value passes the limit, epoch ms. */
      readonly at: number
    }
  | {
      readonly kind: 'unusual'
      readonly key: string
      readonly value: number
      /** The usual values; null without a bound. At least one is a number. */
      readonly lower: number | null
      readonly upper: number | null
    }

export type Relation = 'above' | 'at least' | 'below' | 'at most'

export const RELATIONS: Readonly<Partial<Record<Operator, Relation>>> = {
  '>': 'above',
  '>=': 'at least',
  '<': 'below',
  '<=': 'at most',
}

/** A current value by its key, in user units, and its instant. */
type Valued = (key: string) => { readonly value: number; readonly at: number } | null

/** The news of the first predicted or adaptive condition of a level that holds; null if none does. */
export function limitNewsOf(
  thresholds: Thresholds,
  counters: readonly Counter[],
  { level, valued }: { readonly level: Level; readonly valued: Valued },
): LimitNews | null {
  let place = 0
  for (const { level: of, conditions } of thresholds) {
    for (const condition of conditions) {
      const { key } = condition
      const counter = counters[place++]
      if (of !== level || !sidesOf(condition) || counter?.held !== true) continue
      const current = valued(key)
      const cell = current && knownCellOf(counter.band, current.at)
      if (cell) return { kind: 'unusual', key, value: current.value, lower: cell[1], upper: cell[2] }
    }
  }
  return predictedNewsOf(thresholds, counters, { level, valued })
}

/** The news of the first condition of a level whose prediction passes its limit. */
function predictedNewsOf(
  thresholds: Thresholds,
  counters: readonly Counter[],
  { level, valued }: { readonly level: Level; readonly valued: Valued },
): LimitNews | null {
  const rule = thresholds.find((one) => one.level === level)
  for (const [index, condition] of rule?.conditions.entries() ?? []) {
    const at = valued(condition.key)?.at ?? 0
    const predicted = predictionsOf(thresholds, counters, at).find(
      (one) => one.level === level && one.index === index,
    )?.predicted
    if (predicted?.crossesAt == null) continue
    const relation = RELATIONS[condition.operator]
    if (!relation || typeof condition.value !== 'number') continue
    return {
      kind: 'predicted',
      key: condition.key,
      relation,
      limit: condition.value,
      at: predicted.crossesAt,
    }
  }
  return null
}

/** The news as a message of a job. `readLimitNews` reads it again. */
export function limitMessage(news: LimitNews, format: (at: number) => string = isoTime): string {
  const { key } = news
  if (news.kind === 'predicted')
    return `${key} is predicted to be ${news.relation} ${news.limit} at ${format(news.at)}`
  const { value, lower, upper } = news
  return `${key} is ${shortly(value)}; usual are values ${usualWords(lower, upper)}`
}

function usualWords(lower: number | null, upper: number | null): string {
  if (upper === null) return `of at least ${shortly(lower ?? 0)}`
  return lower === null ? `of at most ${shortly(upper)}` : `from ${shortly(lower)} to ${shortly(upper)}`
}

const PREDICTED = /^(returnValue\d+) is predicted to be (above|at least|below|at most) (\S+) at (\S+)$/
const UNUSUAL =
  /^(returnValue\d+) is (\S+); usual are values (?:from (\S+) to (\S+)|of at least (\S+)|of at most (\S+))$/

/** The news of a message that `limitMessage` wrote; null for every other text. */
export function readLimitNews(message: string): LimitNews | null {
  return readPredicted(PREDICTED.exec(message)) ?? readUnusual(UNUSUAL.exec(message))
}

function readPredicted(found: RegExpExecArray | null): LimitNews | null {
  if (!found) return null
  const [, key = '', relation, limit, at = ''] = found
  const read = { limit: Number(limit), at: Date.parse(at) }
  if (!Number.isFinite(read.limit) || !Number.isFinite(read.at)) return null
  return { kind: 'predicted', key, relation: relation as Relation, ...read }
}

function readUnusual(found: RegExpExecArray | null): LimitNews | null {
  if (!found) return null
  const [, key = '', value, from, to, least, most] = found
  const read = { value: Number(value), lower: boundOf(from ?? least), upper: boundOf(to ?? most) }
  const isRead = [read.value, read.lower ?? 0, read.upper ?? 0].every(Number.isFinite)
  return isRead ? { kind: 'unusual', key, ...read } : null
}

function boundOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}

/** Six digits are enough for people. */
function shortly(value: number): string {
  return String(Number(value.toPrecision(6)))
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
