import type { JSX } from 'preact'

import { useGet } from '../api/resource.ts'
import type { Resource } from '../api/resource.ts'
import type { Answer, Item } from '../api/client.ts'
import { t } from '../language/t.ts'
import { Card, Feed } from './data.tsx'
import { Show } from './feedback.tsx'
import type { IconName } from './icons.tsx'
import { objectLink } from './location.ts'
import { shapeOf, stateWord } from './state.tsx'
import { Time } from './time.tsx'

const ROUTE = '/{parentType}/{parentId}/state-changes'
type Change = Item<typeof ROUTE>
const SILENT = 5

type Place = { readonly type: 'group' | 'device'; readonly id: number }
const SHOWN_MAX = 8

/** Reads the latest changes of states below an object. */
export function useStateChanges({ type, id }: Place): Resource<Answer<typeof ROUTE>> {
  return useGet(
    ROUTE,
    { path: { parentType: type, parentId: id }, query: { types: 'job,slo,slc', limit: SHOWN_MAX } },
    ['state'],
  )
}

/** The latest changes of states of jobs and service levels below an object. */
export function StateChanges(place: Place): JSX.Element {
  const changes = useStateChanges(place)
  return (
    <Card title={t('changes.title')} note={t('changes.note')}>
      <Show resource={changes} what={t('changes.failed')}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="pad quiet">{t('changes.none')}</p>
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
function changeText({ to, errorCode }: Change): string {
  if (errorCode === SILENT && shapeOf(to) !== 'ok') return t('changes.silent')
  return t('changes.became', { state: stateWord(to).toLowerCase() })
}
