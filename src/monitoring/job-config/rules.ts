import { durationMs } from '../../lib/duration.ts'
import type {
  Adaptive,
  Condition,
  FlappingLimits,
  ForecastLimit,
  JobRules,
  LookAhead,
  Retention,
  Thresholds,
} from '../../domain/job-rules.ts'
import type { State } from '../../domain/state.ts'
import { LEVELS } from '../states/state.ts'
import { adaptiveSchema, SIDES } from './adaptive.ts'
import type { ForecastLimitBody, LearnedLimitBody } from './adaptive.ts'
import { WINDOW_MAX_MS, WINDOW_MIN_MS } from './schema.ts'
import type { Parameters, ThresholdsBody } from './schema.ts'

/** The length of a window that is not given, in look-aheads. */
const WINDOW_PER_WITHIN = 4

/** The stored configuration that the actor of a job needs. */
export type JobConfiguration = {
  readonly revision: number
  readonly createdAt: number
  readonly collectorId: number
  readonly intervalMs: number
  readonly stopped: boolean
  readonly forcedState: State | null
  readonly parameters: Parameters
  readonly thresholds: ThresholdsBody
  readonly flapping: FlappingLimits | null
}

/** The rules of a job's actor, from the job's configuration. */
export function rulesOf(job: JobConfiguration, timeZone: string): JobRules {
  const { parameters } = job
  return {
    revision: job.revision,
    createdAt: job.createdAt,
    collectorId: job.collectorId,
    timeoutMs: parameters.timeout === null ? null : durationMs(parameters.timeout),
    graceMs: parameters.grace === null ? null : durationMs(parameters.grace),
    intervalMs: job.intervalMs,
    healsOnData: parameters.healsOnData,
    divisors: divisorsOf(parameters),
    textCount: parameters.stringValue.length,
    thresholds: thresholdsOf(job.thresholds, timeZone),
    stopped: job.stopped,
    forced: job.forcedState,
    retention: retentionOf(parameters),
    flapping: job.flapping,
  }
}

/** The divisors of the numbers of a job, in their order. */
export function divisorsOf({ returnValue }: Parameters): readonly number[] {
  return returnValue.map(({ valueDivisor }) => valueDivisor)
}

function retentionOf({ retention: { raw, minutes, hours } }: Parameters): Retention {
  return { rawMs: durationMs(raw), minutesMs: durationMs(minutes), hoursMs: durationMs(hours) }
}

function thresholdsOf(body: ThresholdsBody, timeZone: string): Thresholds {
  return LEVELS.flatMap((level) => {
    const rule = body[level]
    if (!rule) return []
    return [{ level, mode: rule.mode, conditions: rule.conditions.map((one) => conditionOf(one, timeZone)) }]
  })
}

type ConditionBody = NonNullable<ThresholdsBody['major']>['conditions'][number]

function conditionOf(body: ConditionBody, timeZone: string): Condition {
  const { key, operator, value, repetition, recovery, inFuture, adaptiveValues } = body
  const condition = { key, operator, value, repetition, recovery }
  if (inFuture !== null) return { ...condition, predicted: true, ...aheadOf(inFuture) }
  if (adaptiveValues === null) return { ...condition, predicted: false }
  // An earlier release stored other fields; a condition without a meaning never holds.
  const { data } = adaptiveSchema.safeParse(adaptiveValues)
  if (!data) return { ...condition, predicted: true }
  if (data.source === 'forecast')
    return { ...condition, predicted: true, forecast: forecastOf(data, operator) }
  return { ...condition, predicted: true, adaptive: adaptiveOf(data, operator, timeZone) }
}

function forecastOf(
  { forecastId, level, side, minWidth, offset }: ForecastLimitBody,
  operator: ConditionBody['operator'],
): ForecastLimit {
  return { forecastId, level, side: side ?? usualSide(operator), minWidth, offset }
}

function usualSide(operator: ConditionBody['operator']): Adaptive['side'] {
  return SIDES[operator as keyof typeof SIDES] ?? 'both'
}

function adaptiveOf(body: LearnedLimitBody, operator: ConditionBody['operator'], timeZone: string): Adaptive {
  const { season, factor, minSamples, minWidth, offset, exclude } = body
  const side = body.side ?? usualSide(operator)
  const widths = { windowMs: durationMs(body.window), bucketMs: durationMs(body.bucket) }
  const learnsMaintenance = !exclude.includes('maintenance')
  return { ...widths, season, timeZone, factor, side, minSamples, minWidth, offset, learnsMaintenance }
}

type InFutureBody = NonNullable<ConditionBody['inFuture']>

const FORESIGHT_LEVEL = 95

function aheadOf(body: InFutureBody): Pick<Condition, 'ahead' | 'forecast'> {
  if (typeof body === 'string' || body.forecastId === undefined) return { ahead: lookAheadOf(body) }
  const { within, forecastId, bound = 'mean', level = FORESIGHT_LEVEL } = body
  const foresees = { withinMs: durationMs(within), bound }
  return { forecast: { forecastId, level, side: 'both', minWidth: 0, offset: 0, foresees } }
}

function lookAheadOf(body: InFutureBody): LookAhead {
  const { within, window } = typeof body === 'string' ? { within: body, window: undefined } : body
  const withinMs = durationMs(within)
  const windowMs = window === undefined ? WINDOW_PER_WITHIN * withinMs : durationMs(window)
  return { withinMs, windowMs: Math.min(WINDOW_MAX_MS, Math.max(WINDOW_MIN_MS, windowMs)) }
}
