import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button, Check } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'

/** Chooses the columns that are shown and exported.
 * @param chosen null for all of them */
export function ColumnsDialog({
  columns,
  chosen,
  onApply,
  onClose,
}: {
  readonly columns: readonly string[]
  readonly chosen: readonly string[] | null
  readonly onApply: (chosen: readonly string[] | null) => void
  readonly onClose: () => void
}): JSX.Element {
  const [names, setNames] = useState<readonly string[]>(chosen ?? columns)
  const toggle = (name: string, on: boolean): void =>
    setNames(columns.filter((one) => (one === name ? on : names.includes(one))))
  return (
    <FormDialog
      title={t('data.chooseColumns')}
      submit={t('data.apply')}
      refused={names.length === 0 ? t('data.refused.noColumns') : undefined}
      onSubmit={async () => onApply(names.length === columns.length ? null : names)}
      onClose={onClose}
    >
      {() => (
        <>
          <div class="row">
            <Button small onClick={() => setNames(columns)}>
              {t('data.all')}
            </Button>
            <Button small onClick={() => setNames([])}>
              {t('data.noneOfThem')}
            </Button>
          </div>
          <div class="choices">
            {columns.map((name) => (
              <Check
                key={name}
                label={name}
                checked={names.includes(name)}
                onChange={(on) => toggle(name, on)}
              />
            ))}
          </div>
        </>
      )}
    </FormDialog>
  )
}
