import type { Condition, Job, Severity } from './job.ts'
import { SEVERITIES } from './job.ts'
import { msOfDuration } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { kindOf, withinOf } from './limit-kind.ts'
import type { LimitRow } from './limit-kind.ts'

/** A value as its row of the form holds it. */
export type ValueRow = {
  readonly name: string
  readonly unit: string
  readonly divisor: string
  readonly precision: string
  readonly description: string
}
/** A configuration while it is edited. Durations are ISO 8601, empty for none. */
export type Draft = {
  readonly name: string
  readonly timeout: string
  readonly grace: string
  readonly healsOnData: boolean
  readonly numbers: readonly ValueRow[]
  readonly texts: readonly ValueRow[]
  readonly limits: readonly LimitRow[]
}

/** The configuration of a job as a draft. */
export function draftOf({ name, parameters, thresholds }: Job): Draft {
  return {
    name,
    timeout: parameters.timeout ?? '',
    grace: parameters.grace ?? '',
    healsOnData: parameters.healsOnData,
    numbers: parameters.returnValue.map((value) => ({
      name: value.valueName,
      unit: value.valueUnit,
      divisor: String(value.valueDivisor),
      precision: value.valuePrecision === undefined ? '' : String(value.valuePrecision),
      description: value.valueDescription,
    })),
    texts: parameters.stringValue.map((value) => ({
      name: value.valueName,
      unit: value.valueUnit,
      divisor: '',
      precision: '',
      description: value.valueDescription,
    })),
    limits: SEVERITIES.flatMap((severity) =>
      (thresholds?.[severity]?.conditions ?? []).map((condition) => {
        const { key, operator, value, repetition, ...rest } = condition
        return { severity, key, operator, value: String(value), repetition: String(repetition), rest }
      }),
    ),
  }
}

const NUMBER_OPERATORS = ['>', '>=', '<', '<=', '=', '<>'] as const
const TEXT_OPERATORS = [
  '=',
  '<>',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'not_matches',
] as const
export const operatorsOf = (key: string): readonly Condition['operator'][] =>
  key.startsWith('stringValue') ? TEXT_OPERATORS : NUMBER_OPERATORS

const numberOf = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'))

function valueOf({ key, value }: LimitRow): number | string {
  return key.startsWith('stringValue') ? value : numberOf(value)
}

/** The thresholds of the rows.
 * @param before the thresholds of the job, whose modes stay */
export function thresholdsOf(
  rows: readonly LimitRow[],
  before: Job['thresholds'],
): Readonly<Partial<Record<Severity, object>>> {
  return Object.fromEntries(
    SEVERITIES.flatMap((severity) => {
      const conditions = rows
        .filter((row) => row.severity === severity)
        .map((row) => ({
          ...row.rest,
          key: row.key,
          operator: row.operator,
          value: valueOf(row),
          repetition: Number(row.repetition || '1'),
        }))
      if (conditions.length === 0) return []
      return [[severity, { mode: before?.[severity]?.mode ?? 'or', conditions }]]
    }),
  )
}

/** The merge patch of the thresholds, with null for a severity that has lost its rows. */
function limitsPatch(rows: readonly LimitRow[], before: Job['thresholds']): object {
  const lost = Object.keys(before ?? {}).map((severity) => [severity, null] as const)
  return { ...Object.fromEntries(lost), ...thresholdsOf(rows, before) }
}

/** The merge patch that makes the job as the draft is: only changed fields. Null when nothing has changed. */
export function patchOf(job: Job, draft: Draft): Record<string, unknown> | null {
  const before = draftOf(job)
  const isChanged = (field: keyof Draft): boolean =>
    JSON.stringify(before[field]) !== JSON.stringify(draft[field])
  const parameters: Record<string, unknown> = {}
  if (isChanged('timeout')) parameters['timeout'] = draft.timeout || null
  if (isChanged('grace')) parameters['grace'] = draft.grace || null
  if (isChanged('healsOnData')) parameters['healsOnData'] = draft.healsOnData
  if (isChanged('numbers'))
    parameters['returnValue'] = draft.numbers.map((row) => ({
      ...named(row),
      valueDivisor: numberOf(row.divisor || '1'),
      ...(row.precision.trim() === '' ? {} : { valuePrecision: numberOf(row.precision) }),
    }))
  if (isChanged('texts')) parameters['stringValue'] = draft.texts.map(named)
  const patch = {
    ...(isChanged('name') ? { name: draft.name } : {}),
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...(isChanged('limits') ? { thresholds: limitsPatch(draft.limits, job.thresholds) } : {}),
  }
  return Object.keys(patch).length === 0 ? null : patch
}

function named({ name, unit, description }: ValueRow): Record<string, string> {
  return { valueName: name, valueUnit: unit, valueDescription: description }
}

/** A fault of a row of the limits: no number, or a limit that another one hides. */
export type LimitFault =
  | { readonly kind: 'number' }
  | { readonly kind: 'hidden'; readonly by: Severity; readonly value: number }

/** The fault of each row, undefined for a good one. A limit is hidden when a worse one is crossed before it. */
export function faultsOf(rows: readonly LimitRow[]): readonly (LimitFault | undefined)[] {
  return rows.map((row) => {
    const value = valueOf(row)
    if (typeof value === 'string') return undefined
    if (!Number.isFinite(value)) return { kind: 'number' }
    const hiding = rows.find((other) => hides(other, row, value))
    return hiding && { kind: 'hidden', by: hiding.severity, value: numberOf(hiding.value) }
  })
}

function hides(other: LimitRow, row: LimitRow, value: number): boolean {
  const isWorse = SEVERITIES.indexOf(other.severity) < SEVERITIES.indexOf(row.severity)
  const direction = row.operator[0]
  const limit = numberOf(other.value)
  if (!isWorse || other.key !== row.key || other.operator[0] !== direction || row.operator === '<>')
    return false
  if (kindOf(other) !== 'number') return false
  if (Object.values(row.rest).some((part) => part !== null && part !== undefined)) return false
  if (Number(other.repetition || '1') > Number(row.repetition || '1')) return false
  if (direction === '>') return limit <= value
  return direction === '<' && limit >= value
}

/** Whether the text of the form is not a duration. */
export const isBadDuration = (text: string): boolean => text !== '' && !(msOfDuration(text) ?? 0)

/** A dragged limit, rounded to a thousandth of the span of the chart or to the digits of the value. */
export function draggedText(value: number, precision: number | undefined): string {
  return String(Number(value.toFixed(precision ?? 2)))
}

function comparedText(row: LimitRow): string {
  const kind = kindOf(row)
  if (kind === 'ahead') return `${row.value} (${withinOf(row)})`
  return kind === 'number' ? row.value : t(`job.kind.${kind}`)
}

/** The value of a field as lines for people. */
export function lines(value: Draft[keyof Draft]): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  return value
    .map((row) =>
      'severity' in row
        ? `${row.severity}: ${row.key} ${row.operator} ${comparedText(row)} ×${row.repetition}`
        : [row.name, row.unit, row.divisor !== '1' && row.divisor && `÷${row.divisor}`, row.description]
            .filter(Boolean)
            .join(' '),
    )
    .join('\n')
}
