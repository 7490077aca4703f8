import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { Button, IconButton, Segments } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { operatorsOf, takesValue } from './filter.ts'
import type { ColumnType, Condition, Conditions, Operator } from './filter.ts'

export type Choosable = { readonly name: string; readonly type: ColumnType }

type Props = {
  readonly columns: readonly Choosable[]
  readonly conditions: Conditions
  readonly onChange: (conditions: Conditions) => void
  readonly failure: Failure | null
  /** Where the filter is in the request, such as `/filter`. */
  readonly pointer: string
}

/** The conditions of a filter, of which all or any apply. */
export function FilterRows({ columns, conditions, onChange, failure, pointer }: Props): JSX.Element {
  const { mode, of } = conditions
  const first = columns[0]
  const change = (at: number, condition: Condition | null): void =>
    onChange({ mode, of: of.flatMap((one, place) => (place === at ? (condition ?? []) : one)) })
  return (
    <div class="col">
      {of.length > 1 && (
        <div>
          <Segments
            label={t('data.filterMode')}
            value={mode}
            onChange={(value) => onChange({ mode: value, of })}
            options={(['and', 'or'] as const).map((value) => ({
              value,
              text: t(`data.filterMode.${value}`),
            }))}
          />
        </div>
      )}
      <ol class="col">
        {of.map((condition, at) => {
          const place = of.length === 1 ? pointer : `${pointer}/${mode}/${at}`
          const refusals = [
            '',
            '/op',
            '/value',
            '/values',
            '/match',
            '/column',
            '/values/0',
            '/values/1',
          ].flatMap((field) => failure?.at(`${place}${field}`) ?? [])
          return (
            <li key={at} class="row wrap condition">
              <ConditionFields
                at={at}
                columns={columns}
                condition={condition}
                onChange={(next) => change(at, next)}
              />
              <IconButton
                icon="close"
                label={t('data.removeCondition', { number: at + 1 })}
                onClick={() => change(at, null)}
              />
              {refusals.length > 0 && (
                <span class="refusals" role="alert">
                  {refusals.join(' ')}
                </span>
              )}
            </li>
          )
        })}
      </ol>
      <div>
        <Button
          small
          icon="plus"
          onClick={() => first && onChange({ mode, of: [...of, freshCondition(first)] })}
        >
          {t('data.addCondition')}
        </Button>
      </div>
    </div>
  )
}

/** A new condition on a column. */
export function freshCondition({ name, type }: Choosable): Condition {
  const [op = 'eq'] = type === 'string' ? (['contains'] as const) : operatorsOf(type)
  return { column: name, op, value: '' }
}

type FieldsProps = {
  readonly at: number
  readonly columns: readonly Choosable[]
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}

function ConditionFields({ at, columns, condition, onChange }: FieldsProps): JSX.Element {
  const number = at + 1
  const { column, op, value } = condition
  const type = columns.find(({ name }) => name === column)?.type ?? 'string'
  const operators = operatorsOf(type)
  return (
    <>
      <select
        class="input"
        aria-label={t('data.conditionColumn', { number })}
        value={column}
        onChange={(event) => {
          const chosen = columns.find(({ name }) => name === event.currentTarget.value)
          if (chosen) onChange({ ...freshCondition(chosen), value })
        }}
      >
        {!columns.some(({ name }) => name === column) && <option value={column}>{column}</option>}
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="input"
        aria-label={t('data.conditionOperator', { number })}
        value={op}
        onChange={(event) => onChange({ ...condition, op: event.currentTarget.value as Operator })}
      >
        {(operators.includes(op) ? operators : [op, ...operators]).map((one) => (
          <option key={one} value={one}>
            {t(`data.op.${one}`)}
          </option>
        ))}
      </select>
      {takesValue(op) && (
        <ValueField
          label={t('data.conditionValue', { number })}
          type={type}
          op={op}
          value={value}
          onValue={(next) => onChange({ ...condition, value: next })}
        />
      )}
    </>
  )
}

const HINTS: Partial<Record<Operator, string>> = {
  between: 'from, to',
  in: 'a, b, c',
  match: 'OR(nor%, >=5)',
  like: 'nor%',
}

function ValueField({
  label,
  type,
  op,
  value,
  onValue,
}: {
  readonly label: string
  readonly type: ColumnType
  readonly op: Operator
  readonly value: string
  readonly onValue: (value: string) => void
}): JSX.Element {
  if (type === 'boolean')
    return (
      <select
        class="input"
        aria-label={label}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {value !== 'true' && value !== 'false' && <option value={value}>–</option>}
        <option value="true">{t('data.true')}</option>
        <option value="false">{t('data.false')}</option>
      </select>
    )
  const hint =
    HINTS[op] ?? { date: '2026-01-31', datetime: '2026-01-31T13:45:00Z', time: '13:45' }[type as string]
  return (
    <input
      class="input"
      aria-label={label}
      value={value}
      spellcheck={false}
      {...(hint === undefined ? {} : { placeholder: hint })}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}
