import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { State } from '../../kit/state.tsx'
import { durationText, now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { dayOf } from './days.ts'
import type { Day } from './days.ts'
import { phaseOf, placeText } from './occurrences.ts'
import type { Occurrence } from './occurrences.ts'
import { clockOf, dayName, titleOf } from './texts.ts'

const PAGE = 100

type Props = {
  readonly occurrences: readonly Occurrence[]
  readonly today: Day
  readonly zone: string
  readonly onShow: (occurrence: Occurrence) => void
}

/** The occurrences day by day, a hundred at first. */
export function Agenda({ occurrences, today, zone, onShow }: Props): JSX.Element {
  const [count, setCount] = useState(PAGE)
  const days = Map.groupBy(occurrences.slice(0, count), ({ begin }) => dayOf(begin, zone))
  const left = occurrences.length - count
  return (
    <div class="col spread">
      {[...days].map(([day, inside]) => (
        <Card
          key={day}
          title={dayName(day, { weekday: 'long', day: 'numeric', month: 'long' })}
          note={day === today && t('maintenance.today')}
        >
          <ul class="agenda">
            {inside.map((one) => (
              <li key={one.key}>
                <span class="nowrap">
                  {clockOf(one.begin, zone)}
                  <br />
                  <span class="label">{durationText(one.end - one.begin)}</span>
                </span>
                <button type="button" class="col tight" data-key={one.key} onClick={() => onShow(one)}>
                  <b>{titleOf(one.entry)}</b>
                  <span class="quiet">{placeText(one.entry)}</span>
                </button>
                {phaseOf(one, now.value) === 'running' && (
                  <State state="maintenance_ok" text={t('maintenance.phase.running')} />
                )}
              </li>
            ))}
          </ul>
        </Card>
      ))}
      {left > 0 && (
        <Button onClick={() => setCount(count + PAGE)}>{t('maintenance.more', { count: left })}</Button>
      )}
    </div>
  )
}
