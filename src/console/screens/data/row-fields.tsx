import type { JSX } from 'preact'

import { Chip, Field } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import type { ColumnType } from './filter.ts'
import type { RowDraft } from './row.ts'

type Column = { readonly name: string; readonly type: ColumnType }

/** From this many characters on a text has more than a line. */
const LONG = 60

/** A field for each column of a row. A field without a value is empty and has a note. */
export function RowFields({
  columns,
  draft,
  locked,
  onDraft,
  errorOf,
}: {
  readonly columns: readonly Column[]
  readonly draft: RowDraft
  /** Columns of the key, which finds the row. */
  readonly locked: readonly string[]
  readonly onDraft: (draft: RowDraft) => void
  readonly errorOf: (name: string) => string | undefined
}): JSX.Element {
  return (
    <div class="form-grid">
      {columns.map(({ name, type }) => (
        <Field key={name} label={name} hint={t(`data.columnType.${type}`)} error={errorOf(name)}>
          {(attributes) => (
            <div class="row">
              <Value
                type={type}
                value={draft[name] ?? null}
                isLocked={locked.includes(name) || type === 'binary'}
                attributes={attributes}
                onValue={(value) => onDraft({ ...draft, [name]: value })}
              />
              {!locked.includes(name) && (
                <Chip
                  pressed={(draft[name] ?? null) === null}
                  onChange={(on) => onDraft({ ...draft, [name]: on ? null : '' })}
                >
                  {t('data.null')}
                  <span class="vh">: {name}</span>
                </Chip>
              )}
            </div>
          )}
        </Field>
      ))}
    </div>
  )
}

type ValueProps = {
  readonly type: ColumnType
  readonly value: string | null
  readonly isLocked: boolean
  readonly attributes: object
  readonly onValue: (value: string) => void
}

function Value({ type, value, isLocked, attributes, onValue }: ValueProps): JSX.Element {
  if (type === 'boolean')
    return (
      <select
        class="input"
        value={value ?? ''}
        disabled={isLocked}
        onChange={(event) => onValue(event.currentTarget.value)}
        {...attributes}
      >
        {value !== 'true' && value !== 'false' && <option value={value ?? ''}>–</option>}
        <option value="true">{t('data.true')}</option>
        <option value="false">{t('data.false')}</option>
      </select>
    )
  const common = { class: 'input', value: value ?? '', readOnly: isLocked, spellcheck: false, ...attributes }
  if ((value ?? '').length > LONG || type === 'json')
    return <textarea rows={3} onInput={(event) => onValue(event.currentTarget.value)} {...common} />
  return <input onInput={(event) => onValue(event.currentTarget.value)} {...common} />
}
