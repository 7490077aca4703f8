import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'

export type Property = { readonly key: string; readonly value: string }

/** The properties of an object as rows of a key and a value. */
export function PropertiesFields({
  rows,
  failure,
  onChange,
}: {
  readonly rows: readonly Property[]
  readonly failure: Failure | null
  readonly onChange: (rows: readonly Property[]) => void
}): JSX.Element {
  const change = (at: number, part: Partial<Property>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  return (
    <fieldset class="col">
      <legend>{t('objects.properties')}</legend>
      {rows.map((row, at) => {
        const refusals = ['', '/key', '/value'].flatMap(
          (field) => failure?.at(`/properties/${at}${field}`) ?? [],
        )
        const number = at + 1
        return (
          <div key={at} class="row wrap condition">
            <input
              class="input"
              aria-label={t('objects.propertyKey', { number })}
              placeholder={t('objects.propertyKeyHint')}
              value={row.key}
              onInput={(event) => change(at, { key: event.currentTarget.value })}
            />
            <input
              class="input"
              aria-label={t('objects.propertyValue', { number })}
              value={row.value}
              onInput={(event) => change(at, { value: event.currentTarget.value })}
            />
            <IconButton
              icon="close"
              label={t('objects.removeProperty', { number })}
              onClick={() => onChange(rows.filter((_, index) => index !== at))}
            />
            {refusals.length > 0 && (
              <span class="refusals" role="alert">
                {refusals.join(' ')}
              </span>
            )}
          </div>
        )
      })}
      <div>
        <Button small icon="plus" onClick={() => onChange([...rows, { key: '', value: '' }])}>
          {t('objects.addProperty')}
        </Button>
      </div>
    </fieldset>
  )
}
