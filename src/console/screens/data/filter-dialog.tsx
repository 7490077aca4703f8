import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { FilterRows, freshCondition } from './filter-rows.tsx'
import type { Choosable } from './filter-rows.tsx'
import { conditionsOf, filterOf, isWhole, NO_CONDITIONS } from './filter.ts'
import type { Conditions, Filter } from './filter.ts'
import { selectRows } from './use-rows.ts'

type Props = {
  readonly path: { readonly id: number; readonly table: string }
  readonly columns: readonly Choosable[]
  readonly filter: Filter | null
  readonly onApply: (filter: Filter | null) => void
  readonly onClose: () => void
}

/** Builds a filter and shows it as the API takes it. The API checks it before it is used. */
export function FilterDialog({ path, columns, filter, onApply, onClose }: Props): JSX.Element {
  const [conditions, setConditions] = useState<Conditions | null>(() => {
    const known = conditionsOf(filter)
    const [first] = columns
    return known && known.of.length === 0 && first ? { mode: 'and', of: [freshCondition(first)] } : known
  })
  const whole = conditions && { ...conditions, of: conditions.of.filter(isWhole) }
  const next = whole === null ? filter : filterOf(whole)
  const apply = async (): Promise<void> => {
    if (next !== null) await selectRows(path, { filter: next, limit: 0 }, new AbortController().signal)
    onApply(next)
  }
  return (
    <FormDialog title={t('data.filter')} submit={t('data.apply')} wide onSubmit={apply} onClose={onClose}>
      {(failure) => (
        <>
          {conditions === null ? (
            <Note
              action={
                <Button small onClick={() => setConditions(NO_CONDITIONS)}>
                  {t('data.clearFilter')}
                </Button>
              }
            >
              {t('data.filterByHand')}
            </Note>
          ) : (
            <FilterRows
              columns={columns}
              conditions={conditions}
              onChange={setConditions}
              failure={failure}
              pointer="/filter"
            />
          )}
          {next !== null && <Code label={t('data.filterCode')} text={JSON.stringify(next, null, 2)} />}
        </>
      )}
    </FormDialog>
  )
}
