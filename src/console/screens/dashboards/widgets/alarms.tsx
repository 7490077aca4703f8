import type { JSX } from 'preact'

import { acknowledge, refusedBy } from '../../../actions/alarms.ts'
import { Button } from '../../../kit/controls.tsx'
import { linkTo } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { Ago } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import type { DataOf } from '../dashboard.ts'

/** Alarms, which are acknowledged here if the widget allows it. */
export function Alarms({
  data: { alarms, total },
  canAcknowledge,
  reload,
}: {
  readonly data: DataOf<'alarms'>
  readonly canAcknowledge: boolean
  readonly reload: () => void
}): JSX.Element {
  if (alarms.length === 0) return <p class="quiet pad">{t('boards.noAlarms')}</p>
  return (
    <>
      <ul class="board-list">
        {alarms.map((alarm) => (
          <li key={alarm.id}>
            <State state={alarm.state} look="plain" />
            <span class="cut">
              <a href={linkTo(`alarms/${alarm.id}`)}>{alarm.object.name}</a>{' '}
              <span class="quiet">{alarm.message ?? t(`reason.${alarm.reason}`)}</span>
            </span>
            <span class="faint end nowrap">{alarm.assignee?.name ?? <Ago at={alarm.begin} />}</span>
            {canAcknowledge && alarm.status === 'open' && (
              <Button
                small
                refused={refusedBy(alarm)}
                aria-label={t('boards.acknowledgeName', { name: alarm.object.name })}
                action={() => acknowledge([alarm]).then(reload)}
              >
                {t('boards.acknowledge')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {total > alarms.length && (
        <p class="label pad-x">{t('boards.moreAlarms', { shown: alarms.length, count: total })}</p>
      )}
    </>
  )
}
