import type { JSX } from 'preact'

import { Table } from '../../kit/data.tsx'
import { numberText } from '../../kit/numbers.ts'
import { faultText } from '../../language/problems.ts'
import { t } from '../../language/t.ts'

type Fault = { readonly line: number; readonly column: string | null; readonly message: string }

/** The faults of a file, by line and column. */
export function Faults({ faults }: { readonly faults: readonly Fault[] }): JSX.Element {
  return (
    <Table<Fault & { readonly at: number }>
      label={t('data.faults')}
      rows={faults.map((fault, at) => ({ ...fault, at }))}
      keyOf={({ at }) => at}
      columns={[
        { key: 'message', title: t('data.fault'), cell: ({ message }) => faultText(message) },
        { key: 'line', title: t('data.line'), cell: ({ line }) => numberText(line) },
        { key: 'column', title: t('data.column'), cell: ({ column }) => column ?? t('data.wholeRecord') },
      ]}
    />
  )
}
