import type { JSX } from 'preact'

import { Spark } from '../../../kit/charts/spark.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { State } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { pointsOf } from '../../objects/job/series.ts'
import type { DataOf } from '../dashboard.ts'
import { ObjectWay } from './object-way.tsx'

const DIGITS = 2

/** One value, large, with its state, its place and its way there. */
export function Figure({ data }: { readonly data: DataOf<'value'> }): JSX.Element {
  const { value, unit, precision, state, object, sparkline, before } = data
  const digits = precision ?? DIGITS
  const text = typeof value === 'number' ? numberText(value, digits) : String(value ?? '–')
  return (
    <div class="figure">
      <p class="v">
        {text}
        {unit !== '' && value !== null && <span class="u">{unit}</span>}
      </p>
      <p class="row wrap">
        {state !== null && <State state={state} />}
        {before !== null && typeof value === 'number' && (
          <span class="label">
            {t('boards.before', {
              value: numberText(before, digits),
              change: signed(value - before, digits),
            })}
          </span>
        )}
        {object && (
          <ObjectWay object={object} class="label cut">
            {[object.deviceName, object.name].filter(Boolean).join(' / ')}
          </ObjectWay>
        )}
      </p>
      {sparkline && <Spark points={pointsOf([sparkline], 0)} width={250} height={42} />}
    </div>
  )
}

const signed = (change: number, digits: number): string =>
  change > 0 ? `+${numberText(change, digits)}` : numberText(change, digits)
