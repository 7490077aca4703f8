import type { JSX } from 'preact'

import { Card, Table } from '../../kit/data.tsx'
import { Icon } from '../../kit/icons.tsx'
import { t } from '../../language/t.ts'
import { IMPORT_TYPES, isAdding } from './import-plan.ts'
import type { ColumnPlan, ImportType, Preview } from './import-plan.ts'
import type { FileImport } from './use-file-import.ts'

/** Values of a column that are shown. */
const SAMPLES = 3

type Row = ColumnPlan & { readonly at: number }

/** The columns of the file with their new names and types, their doubts, and their first values. */
export function ColumnsCard({
  plan,
  preview,
}: {
  readonly plan: FileImport
  readonly preview: Preview
}): JSX.Element {
  const change = (at: number, part: Partial<ColumnPlan>): void =>
    plan.changeColumns(plan.columns.map((column, place) => (place === at ? { ...column, ...part } : column)))
  const takesTypes = isAdding(plan.target.mode)
  return (
    <Card title={t('data.columns')} note={takesTypes ? t('data.typesOfTable') : t('data.columnsNote')}>
      <Table<Row>
        label={t('data.columns')}
        rows={plan.columns.map((column, at) => ({ ...column, at }))}
        keyOf={({ at }) => at}
        columns={[
          {
            key: 'used',
            title: <span class="vh">{t('data.use')}</span>,
            cell: ({ at, source, isUsed }) => (
              <input
                type="checkbox"
                aria-label={t('data.useName', { name: source })}
                checked={isUsed}
                onChange={(event) => change(at, { isUsed: event.currentTarget.checked })}
              />
            ),
          },
          {
            key: 'source',
            title: t('data.inFile'),
            cell: ({ at, source }) => <Found name={source} column={preview.columns[at]} />,
          },
          {
            key: 'name',
            title: t('data.inTable'),
            cell: ({ at, source, name }) => (
              <input
                class="input column-name"
                aria-label={t('data.nameFor', { name: source })}
                value={name}
                onInput={(event) => change(at, { name: event.currentTarget.value })}
              />
            ),
          },
          {
            key: 'type',
            title: t('data.type'),
            cell: ({ at, source, type }) => (
              <select
                class="input column-type"
                aria-label={t('data.typeFor', { name: source })}
                value={type}
                disabled={takesTypes}
                onChange={(event) =>
                  change(at, { type: event.currentTarget.value as ImportType, isTyped: true })
                }
              >
                {IMPORT_TYPES.map((value) => (
                  <option key={value} value={value}>
                    {t(`data.columnType.${value}`)}
                  </option>
                ))}
              </select>
            ),
          },
          {
            key: 'values',
            title: t('data.firstValues'),
            cell: ({ at }) => (
              <Samples values={preview.sample.slice(0, SAMPLES).map((record) => record[at] ?? '')} />
            ),
          },
        ]}
      />
    </Card>
  )
}

type Column = Preview['columns'][number]

function Found({
  name,
  column,
}: {
  readonly name: string
  readonly column: Column | undefined
}): JSX.Element {
  return (
    <>
      <b>{name}</b>
      {column?.nullable && <div class="path">{t('data.hasNulls')}</div>}
      {column?.warnings.map(({ code, line }) => (
        <div key={code} class="row small doubt">
          <Icon name="info" />
          <span class="wrapped">{t(`data.doubt.${code}`, { line })}</span>
        </div>
      ))}
    </>
  )
}

function Samples({ values }: { readonly values: readonly string[] }): JSX.Element {
  return (
    <span class="quiet samples">
      {values.map((value, at) => (
        <span key={at} class="cut">
          {value === '' ? <span class="faint">{t('data.emptyValue')}</span> : value}
        </span>
      ))}
    </span>
  )
}
