import type { JSX } from 'preact'

import { StateIcon } from '../../../kit/icons.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { shapeOf } from '../../../kit/state.tsx'
import type { ApiState } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'

export type Counts = Readonly<Record<string, number>>

/** The jobs of an object by what they mean to the reader. */
export function tally(
  counts: Counts = {},
): Readonly<Record<'trouble' | 'maint' | 'nodata' | 'ok' | 'total', number>> {
  const sums = { trouble: 0, maint: 0, nodata: 0, ok: 0, total: 0 }
  for (const [state, count] of Object.entries(counts)) {
    const shape = shapeOf(state as ApiState)
    const part = shape === 'maint' || shape === 'ok' || shape === 'nodata' ? shape : 'trouble'
    sums[part] += count
    sums.total += count
  }
  return sums
}

const SHOWN = ['major', 'minor', 'warning', 'maint'] as const

/** The jobs below an object that are not well, by state; else their number. */
export function Roll({ counts }: { readonly counts: Counts | undefined }): JSX.Element | null {
  const { total, maint } = tally(counts)
  if (total === 0) return null
  const shown = SHOWN.flatMap((shape) => {
    const count = shape === 'maint' ? maint : (counts?.[shape] ?? 0)
    return count > 0 ? [{ shape, count }] : []
  })
  return (
    <span class="roll">
      {shown.map(({ shape, count }) => (
        <span key={shape} class="st" data-st={shape}>
          <StateIcon shape={shape} />
          {numberText(count)}
          <span class="vh">{t(`objects.roll.${shape}`)}</span>
        </span>
      ))}
      {shown.length === 0 && (
        <span>
          {numberText(total)}
          <span class="vh">{t('objects.roll.jobs')}</span>
        </span>
      )}
    </span>
  )
}
