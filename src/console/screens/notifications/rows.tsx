import type { ComponentChildren, JSX } from 'preact'

import { Button, IconButton } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'

type Props<R> = {
  readonly legend: string
  readonly rows: readonly R[]
  /** A row as it begins. */
  readonly fresh: R
  readonly onRows: (rows: readonly R[]) => void
  readonly children: (row: R, change: (part: Partial<R>) => void, at: number) => ComponentChildren
}

/** A list of parts of a form that grows and shrinks. */
export function Rows<R extends object>({ legend, rows, fresh, onRows, children }: Props<R>): JSX.Element {
  return (
    <fieldset class="col">
      <legend>{legend}</legend>
      {rows.map((row, at) => (
        <div key={at} class="form-row">
          {children(
            row,
            (part) => onRows(rows.map((one, place) => (place === at ? { ...one, ...part } : one))),
            at,
          )}
          <IconButton
            small
            icon="close"
            label={t('notifications.removeRow', { name: legend, number: at + 1 })}
            onClick={() => onRows(rows.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          aria-label={t('notifications.addTo', { name: legend })}
          onClick={() => onRows([...rows, fresh])}
        >
          {t('notifications.add')}
        </Button>
      </div>
    </fieldset>
  )
}
