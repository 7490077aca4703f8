import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { TextField } from '../../../kit/controls.tsx'
import { FormDialog } from '../../../kit/overlays.tsx'
import { t } from '../../../language/t.ts'
import type { GridColumn } from '../../data/grid.tsx'
import { useQueryColumns } from '../../data/use-query-columns.ts'
import type { Item, Nested, Parameter, Values, Widget } from '../dashboard.ts'
import { titleOf } from '../widget-title.ts'
import type { Place } from './layout.ts'
import { queryOf, withGuessedColumns } from './guessed-columns.ts'
import { KindFields } from './kind-fields.tsx'
import { useSharedParams } from './use-shared-params.ts'
import { KnownColumns, KnownObjects, ParamsField, TextArea } from './fields.tsx'

type Props = {
  readonly widget: Widget
  readonly item: Item | undefined
  readonly parameters: readonly Parameter[]
  readonly nested: Nested
  /** The columns that the dashboard shows now, and the data query that they are of. */
  readonly shown: Shown
  readonly onChange: (widget: Widget, place: Place | null) => void
  readonly onClose: () => void
}

export type Shown = { readonly queryId: number | null; readonly columns: readonly GridColumn[] | null }

/** The fields of a widget by its kind, its place, and all of it as JSON. Nothing is stored before the dashboard is saved. */
export function WidgetDialog({
  widget,
  item,
  parameters,
  nested,
  shown,
  onChange,
  onClose,
}: Props): JSX.Element {
  const [draft, setDraft] = useState(widget)
  const [place, setPlace] = useState<Place | null>(item ?? null)
  const [json, setJson] = useState<string | null>(null)
  // The field of the values keeps the typed text, so that offered values need a new field.
  const [offers, setOffers] = useState(0)
  const queryId = queryOf(draft)
  const chosenId = queryId === queryOf(widget) ? null : queryId
  useSharedParams(chosenId, parameters, (params) => {
    setDraft((now) => withParams(now, params))
    setOffers((count) => count + 1)
  })
  const found = useQueryColumns(queryId)
  const columns = found ?? (queryId === shown.queryId ? shown.columns : null)
  useEffect(() => {
    if (found !== null && chosenId !== null) setDraft((now) => withGuessedColumns(now, found))
  }, [found])
  const parsed = json === null ? draft : parse(json)
  return (
    <FormDialog
      title={t('boards.configure', { title: titleOf(widget, nested) })}
      submit={t('boards.apply')}
      wide
      refused={parsed === null ? t('boards.badJson') : undefined}
      onSubmit={async () => {
        if (parsed !== null) onChange(parsed, place)
      }}
      onClose={onClose}
    >
      {() => (
        <>
          {draft.kind !== 'unknown' && (
            <>
              <TextField
                label={t('boards.widgetTitle')}
                value={draft.title}
                onValue={(title) => setDraft({ ...draft, title })}
                autofocus
              />
              <KnownObjects.Provider value={nested.objects}>
                <KnownColumns.Provider value={columns}>
                  <KindFields widget={draft} parameters={parameters} onChange={setDraft} />
                </KnownColumns.Provider>
              </KnownObjects.Provider>
              {HAS_PARAMS.has(draft.kind) && parameters.length > 0 && (
                <ParamsField
                  key={offers}
                  label={t('boards.params')}
                  values={draft.params}
                  onValues={(params) => setDraft({ ...draft, params: { ...params } })}
                />
              )}
            </>
          )}
          {place && <PlaceFields place={place} onPlace={setPlace} />}
          <details onToggle={(event) => !event.currentTarget.open && setJson(null)}>
            <summary>{t('boards.json')}</summary>
            <TextArea
              label={t('boards.jsonText')}
              value={json ?? JSON.stringify(draft, null, 2)}
              rows={12}
              onValue={setJson}
            />
          </details>
        </>
      )}
    </FormDialog>
  )
}

/** Kinds that pass values of parameters on to a data query or a dashboard. */
const HAS_PARAMS: ReadonlySet<Widget['kind']> = new Set([
  'value',
  'chart',
  'table',
  'map',
  'dashboard',
  'input',
])

/** Values that were given by hand stay. */
function withParams(widget: Widget, params: Values): Widget {
  if (widget.kind === 'unknown' || Object.keys(widget.params).length > 0) return widget
  return { ...widget, params: { ...params } }
}

function parse(text: string): Widget | null {
  try {
    const value = JSON.parse(text) as Widget | null
    return typeof value === 'object' && typeof value?.kind === 'string' ? value : null
  } catch {
    return null
  }
}

const PLACES = ['x', 'y', 'w', 'h'] as const

/** The place in numbers: what a drag does by the pointer. */
function PlaceFields({
  place,
  onPlace,
}: {
  readonly place: Place
  readonly onPlace: (place: Place) => void
}): JSX.Element {
  const isPosition = (field: (typeof PLACES)[number]): boolean => field === 'x' || field === 'y'
  return (
    <fieldset>
      <legend>{t('boards.place')}</legend>
      <div class="row wrap place-fields">
        {PLACES.map((field) => (
          <TextField
            key={field}
            label={t(`boards.place.${field}`)}
            type="number"
            min={1}
            max={field === 'x' || field === 'w' ? 12 : 1000}
            value={String(place[field] + (isPosition(field) ? 1 : 0))}
            onValue={(text) => onPlace({ ...place, [field]: Number(text) - (isPosition(field) ? 1 : 0) })}
          />
        ))}
      </div>
    </fieldset>
  )
}
