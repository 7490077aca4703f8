import type { JSX } from 'preact'

import { SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { Chooser } from './chooser.tsx'
import type { GridColumn } from './grid.tsx'

type Props = {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  /** The columns to choose from; null: they are not known, and the name is typed. */
  readonly columns: readonly Pick<GridColumn, 'name'>[] | null
}

/** A column of a result. A name that the result no longer has stays and is marked. */
export function ColumnField({
  columns,
  value,
  none,
  onValue,
  ...field
}: Props & {
  readonly value: string
  /** The text for no column, where none is needed. */
  readonly none?: string
  readonly onValue: (name: string) => void
}): JSX.Element {
  if (columns === null) return <TextField {...field} value={value} onValue={onValue} />
  const names = columns.map(({ name }) => name)
  const isMissing = value !== '' && !names.includes(value)
  const shown = isMissing ? [value, ...names] : names
  const empty = none ?? (value === '' ? t('data.choose') : undefined)
  return (
    <SelectField
      {...field}
      value={value}
      options={[
        ...(empty === undefined ? [] : [{ value: '', text: empty }]),
        ...shown.map((name) => ({ value: name, text: name })),
      ]}
      error={field.error ?? (isMissing ? t('data.noSuchColumn', { name: value }) : undefined)}
      onValue={onValue}
    />
  )
}

/** Known columns of a result, in the order in which they were chosen. */
export function ColumnsField({
  columns,
  names,
  onNames,
  ...field
}: Omit<Props, 'columns'> & {
  readonly columns: readonly Pick<GridColumn, 'name'>[]
  readonly names: readonly string[]
  readonly onNames: (names: string[]) => void
}): JSX.Element {
  const known = columns.map(({ name }) => name)
  const missing = names.filter((name) => !known.includes(name))
  const error = missing.length > 0 ? t('data.noSuchColumn', { name: missing.join(', ') }) : undefined
  return (
    <Chooser
      {...field}
      error={field.error ?? error}
      choices={[...known, ...missing].map((name) => ({ value: name, text: name }))}
      chosen={names}
      onChange={(chosen) => onNames([...chosen])}
    />
  )
}
