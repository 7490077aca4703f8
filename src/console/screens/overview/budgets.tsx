import type { JSX } from 'preact'

import { BudgetRow } from '../../kit/charts/budget-row.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { useContainers, worstContainers } from './worst-containers.ts'

const SHOWN_MAX = 6

/** The error budgets of the present period, of the containers in the worst states. */
export function Budgets(): JSX.Element | null {
  const slcs = useContainers()
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
            {worstContainers(items, SHOWN_MAX).map(({ id, name }) => (
              <BudgetRow key={id} id={id} name={name} />
            ))}
          </ul>
        )}
      </Show>
    </Card>
  )
}
