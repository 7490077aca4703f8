import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button, IconButton } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type { Choosable } from './filter-rows.tsx'
import type { Filter } from './filter.ts'
import { bucketsOf, COUNT_OF_ROWS, functionsOf, summaryBody } from './summary.ts'
import type { Aggregate, GroupKey, Summary } from './summary.ts'
import { selectRows } from './use-rows.ts'

type Props = {
  readonly path: { readonly id: number; readonly table: string }
  readonly columns: readonly Choosable[]
  readonly filter: Filter | null
  readonly summary: Summary | null
  readonly onApply: (summary: Summary | null) => void
  readonly onClose: () => void
}

/** Groups rows and computes over them. The API checks it before it is used. */
export function SummaryDialog({ path, columns, filter, summary, onApply, onClose }: Props): JSX.Element {
  const [groupBy, setGroupBy] = useState<readonly GroupKey[]>(summary?.groupBy ?? firstKey(columns))
  const [aggregates, setAggregates] = useState<readonly Aggregate[]>(summary?.aggregates ?? [COUNT_OF_ROWS])
  const apply = async (): Promise<void> => {
    const next = { groupBy, aggregates }
    const body = { ...summaryBody(next, timeZone.value), ...(filter === null ? {} : { filter }), limit: 0 }
    await selectRows(path, body, new AbortController().signal)
    onApply(next)
  }
  return (
    <FormDialog
      title={t('data.summary')}
      submit={t('data.apply')}
      refused={aggregates.length === 0 ? t('data.summary.needsValue') : undefined}
      onSubmit={apply}
      onClose={onClose}
    >
      {() => (
        <>
          <Rows
            legend={t('data.summary.groupBy')}
            add={t('data.summary.addGroup')}
            rows={groupBy}
            fresh={() => freshKey(columns, groupBy)}
            onChange={setGroupBy}
            row={(key, at, change) => (
              <KeyFields at={at} columns={columns} groupKey={key} onChange={change} />
            )}
          />
          <Rows
            legend={t('data.summary.compute')}
            add={t('data.summary.addValue')}
            rows={aggregates}
            fresh={() => freshAggregate(columns)}
            onChange={setAggregates}
            row={(one, at, change) => (
              <AggregateFields at={at} columns={columns} aggregate={one} onChange={change} />
            )}
          />
        </>
      )}
    </FormDialog>
  )
}

/** The first group key of a new summary: the first column of texts. */
function firstKey(columns: readonly Choosable[]): readonly GroupKey[] {
  const text = columns.find(({ type }) => type === 'string')
  return text ? [{ column: text.name, bucket: '' }] : []
}

function freshKey(columns: readonly Choosable[], groupBy: readonly GroupKey[]): GroupKey {
  const free = columns.find(({ name }) => !groupBy.some(({ column }) => column === name)) ?? columns[0]
  return { column: free?.name ?? '', bucket: '' }
}

function freshAggregate(columns: readonly Choosable[]): Aggregate {
  const figure = columns.find(({ type }) => functionsOf(type).includes('SUM'))
  return figure ? { fn: 'SUM', column: figure.name } : COUNT_OF_ROWS
}

/** Rows of a form that are added and removed. */
function Rows<R>({
  legend,
  add,
  rows,
  fresh,
  onChange,
  row,
}: {
  readonly legend: string
  readonly add: string
  readonly rows: readonly R[]
  readonly fresh: () => R
  readonly onChange: (rows: readonly R[]) => void
  readonly row: (one: R, at: number, change: (one: R) => void) => JSX.Element
}): JSX.Element {
  return (
    <fieldset class="col">
      <legend>{legend}</legend>
      {rows.map((one, at) => (
        <div key={at} class="row summary-row">
          {row(one, at, (next) => onChange(rows.with(at, next)))}
          <IconButton
            icon="close"
            label={t('data.summary.remove', { legend, number: at + 1 })}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button small icon="plus" onClick={() => onChange([...rows, fresh()])}>
          {add}
        </Button>
      </div>
    </fieldset>
  )
}

type FieldsProps = { readonly at: number; readonly columns: readonly Choosable[] }

function KeyFields({
  at,
  columns,
  groupKey,
  onChange,
}: FieldsProps & {
  readonly groupKey: GroupKey
  readonly onChange: (key: GroupKey) => void
}): JSX.Element {
  const number = at + 1
  const { column, bucket } = groupKey
  const buckets = bucketsOf(columns.find(({ name }) => name === column)?.type ?? 'string')
  return (
    <>
      <Select
        label={t('data.summary.keyColumn', { number })}
        value={column}
        options={columns.map(({ name }) => ({ value: name, text: name }))}
        onValue={(name) => onChange({ column: name, bucket: '' })}
      />
      {buckets.length > 1 && (
        <Select
          label={t('data.summary.keyBucket', { number })}
          value={bucket}
          options={buckets.map((value) => ({
            value,
            text: t(value === '' ? 'data.bucket.none' : `data.bucket.${value}`),
          }))}
          onValue={(value) => onChange({ column, bucket: value })}
        />
      )}
    </>
  )
}

/** The choice of the rows themselves, which no column is named. */
const ROWS = ''

function AggregateFields({
  at,
  columns,
  aggregate,
  onChange,
}: FieldsProps & {
  readonly aggregate: Aggregate
  readonly onChange: (aggregate: Aggregate) => void
}): JSX.Element {
  const number = at + 1
  const { fn, column } = aggregate
  const functionsFor = (name: string | null): readonly Aggregate['fn'][] =>
    name === null ? ['COUNT'] : functionsOf(columns.find((one) => one.name === name)?.type ?? 'json')
  const functions = functionsFor(column)
  return (
    <>
      <Select
        label={t('data.summary.fn', { number })}
        value={fn}
        options={functions.map((value) => ({ value, text: t(`data.fn.${value}`) }))}
        onValue={(value) => onChange({ fn: value, column })}
      />
      <Select
        label={t('data.summary.column', { number })}
        value={column ?? ROWS}
        options={[
          { value: ROWS, text: t('data.summary.rows') },
          ...columns.map(({ name }) => ({ value: name, text: name })),
        ]}
        onValue={(value) => {
          const next = value === ROWS ? null : value
          const [first = 'COUNT'] = functionsFor(next)
          onChange({ column: next, fn: functionsFor(next).includes(fn) ? fn : first })
        }}
      />
    </>
  )
}

function Select<V extends string>({
  label,
  value,
  options,
  onValue,
}: {
  readonly label: string
  readonly value: V
  readonly options: readonly { readonly value: V; readonly text: string }[]
  readonly onValue: (value: V) => void
}): JSX.Element {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value as V)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  )
}
