import { createContext } from 'preact'
import type { JSX } from 'preact'
import { useContext, useState } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import { Field, SelectField, TextField } from '../../../kit/controls.tsx'
import { ROOT_ID } from '../../../kit/object-name.ts'
import { ObjectPicker } from '../../../kit/object-picker.tsx'
import type { Found } from '../../../kit/object-picker.tsx'
import { t } from '../../../language/t.ts'
import { ColumnField, ColumnsField } from '../../data/column-fields.tsx'
import type { GridColumn } from '../../data/grid.tsx'
import { mayReadQueries } from '../../data/use-query-columns.ts'
import type { Nested, Values, WidgetOf } from '../dashboard.ts'
import { defaultsOf, textOfDefaults } from '../defaults.ts'

/** The objects whose names are known, by id. */
export const KnownObjects = createContext<Nested['objects']>({})

/** The columns of the data query of the widget; null while they are not known. */
export const KnownColumns = createContext<readonly GridColumn[] | null>(null)

/** A text of several lines. */
export function TextArea({
  label,
  value,
  rows = 8,
  hint,
  onValue,
}: {
  readonly label: string
  readonly value: string
  readonly rows?: number
  readonly hint?: string
  readonly onValue: (text: string) => void
}): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          class="input"
          rows={rows}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  )
}

/** An object of the tree by its id: found by its name, and named by it. */
export function ObjectField({
  label,
  id,
  type,
  onId,
}: {
  readonly label: string
  readonly id: number | null
  readonly type?: Found['type']
  readonly onId: (id: number) => void
}): JSX.Element {
  const [found, setFound] = useState<Found | null>(null)
  const objects = useContext(KnownObjects)
  const known =
    id === null
      ? undefined
      : (objects[String(id)] ?? { id, type: 'job' as const, name: id === ROOT_ID ? 'root' : `#${id}` })
  const shown = found ?? (known ? { ...known, path: known.name } : null)
  return (
    <ObjectPicker
      key={shown?.id ?? 0}
      label={label}
      value={shown}
      {...(type && { type })}
      onChange={(object) => {
        setFound(object)
        onId(object.id)
      }}
    />
  )
}

type Listed = '/dataQueries' | '/dashboards' | '/scripts' | '/forecasts'

/** A data query, a dashboard, a script or a forecast by its name; by its number for a user who may not list them. */
export function ThingField({
  label,
  route,
  id,
  none,
  onId,
}: {
  readonly label: string
  readonly route: Listed
  /** The text for none, where none is needed. */
  readonly none?: string
  readonly id: number | null
  readonly onId: (id: number | null) => void
}): JSX.Element {
  const mayList = route !== '/dataQueries' || mayReadQueries()
  const listed = useGet(route, mayList ? {} : null)
  const choose = (text: string): void => onId(text === '' ? null : Number(text))
  const value = id === null ? '' : String(id)
  if (!mayList || listed.failure)
    return (
      <TextField
        label={label}
        type="number"
        min={1}
        hint={t('boards.byNumber')}
        value={value}
        onValue={choose}
      />
    )
  const items = itemsOf(listed.data)
  const isKnown = id === null || items.some((one) => one.id === id)
  return (
    <SelectField
      label={label}
      value={value}
      options={[
        { value: '', text: none ?? t('boards.choose') },
        ...(isKnown ? [] : [{ value, text: `#${value}` }]),
        ...items.map((one) => ({ value: String(one.id), text: one.name })),
      ]}
      onValue={choose}
    />
  )
}

type Thing = { readonly id: number; readonly name: string }

function itemsOf(data: unknown): readonly Thing[] {
  if (Array.isArray(data)) return data as readonly Thing[]
  return (data as { readonly items?: readonly Thing[] } | undefined)?.items ?? []
}

/** The forecast that is drawn behind the last value. */
export function ForecastField({
  forecast,
  onForecast,
}: {
  readonly forecast: WidgetOf<'chart'>['forecast']
  readonly onForecast: (forecast: WidgetOf<'chart'>['forecast']) => void
}): JSX.Element {
  return (
    <ThingField
      label={t('boards.forecast')}
      route="/forecasts"
      none={t('boards.noForecast')}
      id={forecast?.forecastId ?? null}
      onId={(forecastId) =>
        onForecast(forecastId === null ? null : { forecastId, group: forecast?.group ?? {} })
      }
    />
  )
}

/** Values of parameters as a line of text. */
export function ParamsField({
  label,
  values,
  onValues,
}: {
  readonly label: string
  readonly values: Values
  readonly onValues: (values: Values) => void
}): JSX.Element {
  const [text, setText] = useState(textOfDefaults(values))
  const isBad = defaultsOf(text) === null
  return (
    <TextField
      label={label}
      value={text}
      hint={t('boards.paramsHint')}
      error={isBad ? t('boards.defaultsHint') : undefined}
      onValue={(next) => {
        setText(next)
        const read = defaultsOf(next)
        if (read !== null) onValues(read)
      }}
    />
  )
}

/** A column of the data query. */
export function RowColumnField(props: Omit<Parameters<typeof ColumnField>[0], 'columns'>): JSX.Element {
  return <ColumnField {...props} columns={useContext(KnownColumns)} />
}

type NamesProps = {
  readonly label: string
  readonly names: readonly string[]
  readonly onNames: (names: string[]) => void
}

/** Columns of the data query. */
export function RowColumnsField(props: NamesProps): JSX.Element {
  const columns = useContext(KnownColumns)
  return columns === null ? <NamesField {...props} /> : <ColumnsField {...props} columns={columns} />
}

/** Names with commas between them. */
function NamesField({ label, names, onNames }: NamesProps): JSX.Element {
  const [text, setText] = useState(names.join(', '))
  return (
    <TextField
      label={label}
      value={text}
      hint={t('boards.namesHint')}
      onValue={(next) => {
        setText(next)
        onNames(
          next
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== ''),
        )
      }}
    />
  )
}
