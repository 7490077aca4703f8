import type { JSX } from 'preact'

import { Card } from '../../kit/data.tsx'
import { State } from '../../kit/state.tsx'
import { dayText, durationText, now, Time, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { dayOf } from './month.ts'
import type { Entry, Occurrence } from './occurrences.ts'

type Props = { readonly occurrences: readonly Occurrence[]; readonly onShow: (entry: Entry) => void }

/** The occurrences day by day. */
export function Agenda({ occurrences, onShow }: Props): JSX.Element {
  const days = Map.groupBy(occurrences, ({ begin }) => dayOf(begin, timeZone.value))
  return (
    <div class="col spread">
      {[...days].map(([day, inside]) => (
        <Card key={day} title={dayText(inside[0]?.begin ?? 0)}>
          <ul class="agenda">
            {inside.map((one) => (
              <li key={`${one.entry.id} ${one.begin}`}>
                <span class="nowrap">
                  <Time at={one.begin} />
                  <br />
                  <span class="label">{durationText(one.end - one.begin)}</span>
                </span>
                <button type="button" class="col tight" onClick={() => onShow(one.entry)}>
                  <b>{one.entry.name || t(`maintenance.type.${one.entry.type}`)}</b>
                  <span class="quiet">{one.entry.object.path.split('/').slice(1).join(' / ')}</span>
                </button>
                {one.begin <= now.value && one.end > now.value && (
                  <State state="maintenance_ok" text={t('maintenance.now')} />
                )}
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </div>
  )
}
