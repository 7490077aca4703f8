import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import type { Item } from '../../api/client.ts'
import { Card, Feed } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import type { IconName } from '../../kit/icons.tsx'
import { objectLink } from '../../kit/location.ts'
import { shapeOf, stateWord } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

type Change = Item<'/{parentType}/{parentId}/state-changes'>
const SILENT = 5

/** The latest changes of states of jobs. */
export function Changes(): JSX.Element {
  const changes = useGet(
    '/{parentType}/{parentId}/state-changes',
    { path: { parentType: 'group', parentId: 1 }, query: { types: 'job,slo,slc', limit: 8 } },
    ['state'],
  )
  return (
    <Card title={t('overview.changes')} note={t('overview.changesNote')}>
      <Show resource={changes} what={t('overview.changesFailed')}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="pad quiet">{t('overview.noChanges')}</p>
          ) : (
            <Feed
              items={items.map((change) => ({
                key: `${change.object.id} ${change.timestamp}`,
                time: <Time at={change.timestamp} />,
                icon: iconOf(change),
                text: (
                  <>
                    <a href={objectLink(change.object.type, change.object.id)}>{change.object.name}</a>{' '}
                    {changeText(change)}
                  </>
                ),
              }))}
            />
          )
        }
      </Show>
    </Card>
  )
}

function iconOf({ to, errorCode }: Change): IconName {
  if (errorCode === SILENT) return 'clock'
  const shape = shapeOf(to)
  if (shape === 'maint') return 'maintenance'
  return shape === 'ok' ? 'check' : 'job'
}

/** The words after the name of the object. */
export function changeText({ to, errorCode }: Change): string {
  if (errorCode === SILENT && shapeOf(to) !== 'ok') return t('overview.wentSilent')
  return t('overview.became', { state: stateWord(to).toLowerCase() })
}
