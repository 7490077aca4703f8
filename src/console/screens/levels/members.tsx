import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Card } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { objectLink } from '../../kit/location.ts'
import { rankOf, State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'

/** The objects that make up a service or a container, worst first. */
export function Members({
  type,
  id,
  reasons,
}: {
  readonly type: 'slo' | 'slc'
  readonly id: number
  readonly reasons?: ReadonlySet<number>
}): JSX.Element {
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: type, parentId: id } }, [
    'state',
  ])
  return (
    <Card title={t('levels.members')} note={t('levels.membersNote')}>
      <Show resource={members}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('levels.noMembers')} />
          ) : (
            <ul class="rows">
              {items
                .toSorted((a, b) => rankOf(b.state) - rankOf(a.state) || a.position - b.position)
                .map((one) => (
                  <li key={one.id} class={reasons?.has(one.id) ? 'row reason' : 'row'}>
                    <Icon name={one.type === 'slc' ? 'slo' : one.type} />
                    <a class="grow cut" href={objectLink(one.type, one.id)}>
                      {one.name}
                    </a>
                    {reasons?.has(one.id) && <span class="label">{t('levels.reason')}</span>}
                    <State state={one.state} />
                  </li>
                ))}
            </ul>
          )
        }
      </Show>
    </Card>
  )
}
