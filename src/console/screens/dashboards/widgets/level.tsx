import type { JSX } from 'preact'

import { Staff } from '../../../kit/charts/staff.tsx'
import { StateStrip } from '../../../kit/charts/state-strip.tsx'
import { availabilityText, percentText } from '../../../kit/numbers.ts'
import { State } from '../../../kit/state.tsx'
import { durationText } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import type { DataOf, WidgetOf } from '../dashboard.ts'
import { ObjectWay } from './object-way.tsx'

/** A service level: availability, budget and states over time. */
export function Level({
  widget: { show },
  data,
}: {
  readonly widget: WidgetOf<'slo'>
  readonly data: DataOf<'slo'>
}): JSX.Element {
  const { object, availability, downSeconds, creditSeconds, usedSeconds, samples } = data
  const left = creditSeconds === null || creditSeconds === 0 ? null : 1 - (usedSeconds ?? 0) / creditSeconds
  return (
    <div class="figure">
      {show.includes('availability') && <p class="v">{availabilityText(availability)}</p>}
      <p class="row wrap">
        <State state={object.state} />
        <ObjectWay object={object} class="label cut">
          {object.name}
        </ObjectWay>
        <span class="label">{t('boards.down', { duration: durationText(downSeconds * 1000) })}</span>
      </p>
      {show.includes('budget') && left !== null && (
        <>
          <Staff
            left={Math.max(0, left)}
            name={t('kit.budgetName', { name: object.name, left: percentText(Math.max(0, left)) })}
          />
          <p class="label">{t('boards.budgetLeft', { left: percentText(Math.max(0, left)) })}</p>
        </>
      )}
      {show.includes('timeline') && (
        <StateStrip
          begin={Date.parse(data.begin)}
          end={Date.parse(data.end)}
          spans={samples.map(({ begin, end, state }) => ({
            begin: Date.parse(begin),
            end: Date.parse(end),
            state,
          }))}
        />
      )}
    </div>
  )
}
