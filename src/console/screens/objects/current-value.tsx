import type { JSX } from 'preact'

import { unitText } from '../../kit/numbers.ts'
import { fullTimeText } from '../../kit/time.tsx'
import { useCurrent } from './current.ts'
import { digitsText } from './job/job.ts'

/** The latest value of a job in a row; nothing for a job without one. */
export function CurrentValue({ id }: { readonly id: number }): JSX.Element | null {
  const current = useCurrent(id)
  if (current === undefined) return null
  const { name, value, unit, precision, timestamp } = current
  return (
    <span class="roll current" title={`${name}, ${fullTimeText(Date.parse(timestamp))}`}>
      <span class="cut">{digitsText(value, precision ?? undefined)}</span>
      {unitText('', unit ?? '')}
    </span>
  )
}
