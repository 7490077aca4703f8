import type { Answer } from '../../../api/client.ts'
import { numberText } from '../../../kit/numbers.ts'
import { msOfDuration } from '../../../kit/time.tsx'

export type Job = Answer<'/jobs/{id}'>

/** A value that a job defines, with the latest sample. */
export type JobValue = {
  /** `returnValue1`, `stringValue1`, … */
  readonly key: string
  readonly name: string
  readonly unit: string
  readonly precision: number | undefined
  readonly description: string
  readonly isText: boolean
  readonly value: number | string | undefined
  /** When the value was measured, ISO 8601. */
  readonly timestamp: string | undefined
}

/** The values of a job, numbers first. */
export function valuesOf({ parameters, values }: Job): readonly JobValue[] {
  const one = (
    kind: 'returnValue' | 'stringValue',
    { valueName, valueUnit, valueDescription }: Job['parameters']['stringValue'][number],
    index: number,
  ): JobValue => {
    const key = `${kind}${index + 1}`
    const isText = kind === 'stringValue'
    const precision = isText ? undefined : parameters.returnValue[index]?.valuePrecision
    const latest = values?.[key]
    return {
      key,
      name: valueName || key,
      unit: valueUnit,
      precision,
      description: valueDescription,
      isText,
      value: latest?.value,
      timestamp: latest?.timestamp,
    }
  }
  return [
    ...parameters.returnValue.map((value, index) => one('returnValue', value, index)),
    ...parameters.stringValue.map((value, index) => one('stringValue', value, index)),
  ]
}

/** A value as text, with the digits that its job sets; without them, three at most. */
export function digitsText(value: number | string, precision: number | undefined): string {
  return typeof value === 'string' ? value : numberText(value, precision ?? 3)
}

/** A condition of a limit. */
export type Condition = NonNullable<NonNullable<Job['thresholds']>['major']>['conditions'][number]
export const SEVERITIES = ['major', 'minor', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The limits of a job that are about one value, worst first. */
export function conditionsOf(
  thresholds: Job['thresholds'],
  key: string,
): readonly {
  readonly severity: Severity
  readonly condition: Condition
  readonly index: number
}[] {
  return SEVERITIES.flatMap((severity) =>
    (thresholds?.[severity]?.conditions ?? []).flatMap((condition, index) =>
      condition.key === key ? [{ severity, condition, index }] : [],
    ),
  )
}

/** Whether a condition compares with usual or predicted values in place of its number. */
export const isAdaptive = ({ adaptiveValues = null }: Partial<Condition>): boolean => adaptiveValues !== null

/** How long a sender may be silent in ms, as the job says; null without a timeout. */
export function silenceOf({ parameters }: Job): number | null {
  const timeout = parameters.timeout === null ? null : msOfDuration(parameters.timeout)
  return timeout === null ? null : timeout + (msOfDuration(parameters.grace ?? '') ?? 0)
}
