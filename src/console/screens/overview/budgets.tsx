import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Staff } from '../../kit/charts/staff.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { percentText } from '../../kit/numbers.ts'
import { now } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

const SHOWN_MAX = 6

/** The error budgets of the present period. */
export function Budgets(): JSX.Element | null {
  const slcs = useGet('/slcs', { query: { limit: SHOWN_MAX } }, ['state'])
  if (slcs.data?.items.length === 0) return null
  return (
    <Card
      title={t('overview.budgets')}
      actions={
        <a class="btn small ghost" href={linkTo('slos')}>
          {t('overview.allLevels')}
        </a>
      }
    >
      <Show resource={slcs} what={t('overview.budgetsFailed')}>
        {({ items }) => (
          <ul>
            {items.map(({ id, name }) => (
              <Budget key={id} id={id} name={name} />
            ))}
          </ul>
        )}
      </Show>
    </Card>
  )
}

function Budget({ id, name }: { readonly id: number; readonly name: string }): JSX.Element {
  const { data } = useGet('/slcs/{id}', { path: { id } }, ['state'])
  const values = data?.values
  const left = values && values.creditTotal > 0 ? Math.max(0, values.creditLeft / values.creditTotal) : null
  return (
    <li class="slrow">
      <a href={objectLink('slc', id)} class="cut">
        {name}
      </a>
      <b class="num">{left === null ? '–' : percentText(left)}</b>
      {left !== null && values && (
        <Staff
          left={left}
          ideal={shareLeft(values.period)}
          name={t('overview.budgetName', { name, left: percentText(left) })}
        />
      )}
    </li>
  )
}

/** The share of a period that is still to come. */
function shareLeft({ begin, end }: { readonly begin: string; readonly end: string }): number {
  const [from, to] = [Date.parse(begin), Date.parse(end)]
  return Math.min(1, Math.max(0, (to - now.value) / (to - from)))
}
