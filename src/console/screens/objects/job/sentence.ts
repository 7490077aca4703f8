import { unitText } from '../../../kit/numbers.ts'
import { shapeOf } from '../../../kit/state.tsx'
import { durationText, timeText } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { conditionsOf, digitsText, isAdaptive, valuesOf } from './job.ts'
import { sideOf } from './limit-kind.ts'
import type { Condition, Job, JobValue, Severity } from './job.ts'

/** The state of a job in words: the fact, and for how long it has been true. */
export function jobSentence(job: Job, now: number): { readonly fact: string; readonly since: string } {
  const since =
    job.stateSince === null ? '' : t('job.for', { duration: durationText(now - Date.parse(job.stateSince)) })
  if (job.stopped) return { fact: t('job.sayStopped'), since: '' }
  if (job.lastReceivedAt === null) return { fact: t('job.sayNothing'), since: '' }
  const silence = t('job.saySilent', { duration: durationText(now - lastValueAt(job)) })
  if (job.errorCode === 5) return { fact: silence, since: '' }
  const shape = shapeOf(job.currentState)
  if (shape === 'maint') return { fact: t('job.sayMaintenance'), since }
  const crossed = crossedLimit(job)
  if (crossed !== null && shape !== 'ok') return { fact: crossed, since }
  if (shape !== 'ok') return { fact: troubleText(job), since }
  const late = job.nextTimeoutAt !== null && Date.parse(job.nextTimeoutAt) - now < 0
  if (late) return { fact: t('job.sayLate'), since: silence }
  return { fact: t('job.sayOk'), since: t('job.lastAt', { time: timeText(job.lastReceivedAt) }) }
}

/** When the sender delivered its latest value; the service's own deliveries of error code 5 have none. */
function lastValueAt({ values, lastReceivedAt }: Job): number {
  const times = Object.values(values ?? {}).map(({ timestamp }) => Date.parse(timestamp))
  return times.length > 0 ? Math.max(...times) : Date.parse(lastReceivedAt ?? '')
}

function troubleText({ message, errorCode, currentState }: Job): string {
  if (message) return message
  if (errorCode !== 0) return t('job.sayError', { code: errorCode })
  return t(`job.say.${currentState === 'no_data' || currentState === 'undefined' ? 'nodata' : 'state'}`)
}

/** The worst limit that a latest value crosses, in words; null when none does. */
function crossedLimit(job: Job): string | null {
  for (const value of valuesOf(job)) {
    for (const { severity, condition } of conditionsOf(job.thresholds, value.key)) {
      // The service names usual values in the message of the job.
      if (isAdaptive(condition) || !isCrossed(condition, value.value)) continue
      return t(`job.crossed.${relationOf(condition.operator)}`, {
        name: value.name,
        value: withUnitText(value, value.value ?? ''),
        severity: t(`state.${severity}`),
        limit: withUnitText(value, condition.value),
      })
    }
  }
  return null
}

function withUnitText({ precision, unit }: JobValue, value: number | string): string {
  return unitText(digitsText(value, precision), unit)
}

/** How a value that crosses a limit relates to it. */
function relationOf(operator: string): 'above' | 'below' | 'equal' | 'other' {
  if (operator === '>' || operator === '>=') return 'above'
  if (operator === '<' || operator === '<=') return 'below'
  return operator === '=' ? 'equal' : 'other'
}

/** Whether a number crosses a limit that compares numbers. */
function isCrossed({ operator, value: limit }: Condition, value: number | string | undefined): boolean {
  if (typeof value !== 'number' || typeof limit !== 'number') return false
  switch (operator) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '=':
      return value === limit
    case '<>':
      return value !== limit
    default:
      return false
  }
}

/** Whether a number is outside of the bounds that the service computed for a condition. */
function isUnusual(
  { bands }: Pick<Job, 'bands'>,
  { severity, index, condition }: ReturnType<typeof conditionsOf>[number],
  value: number | string | undefined,
): boolean {
  const band = bands?.find((one) => one.severity === severity && one.condition === index)
  if (band === undefined || typeof value !== 'number') return false
  const side = sideOf(condition)
  const isBelow = band.lower !== null && value < band.lower
  const isAbove = band.upper !== null && value > band.upper
  return (isBelow && side !== 'above') || (isAbove && side !== 'below')
}

/** The worst severity whose limit a value of the job crosses now. */
export function worstCrossed(job: Job, value: JobValue): Severity | null {
  return (
    conditionsOf(job.thresholds, value.key).find((one) =>
      isAdaptive(one.condition) ? isUnusual(job, one, value.value) : isCrossed(one.condition, value.value),
    )?.severity ?? null
  )
}
