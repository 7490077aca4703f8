import type { JSX } from 'preact'

import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { BudgetRow } from '../../kit/charts/budget-row.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'

const SHOWN_MAX = 6

/** Reads the containers whose error budgets are shown. */
export function useBudgets(): Resource<Answer<'/slcs'>> {
  return useGet('/slcs', { query: { limit: SHOWN_MAX } }, ['state'])
}

/** The error budgets of the present period. */
export function Budgets(): JSX.Element | null {
  const slcs = useBudgets()
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
              <BudgetRow key={id} id={id} name={name} />
            ))}
          </ul>
        )}
      </Show>
    </Card>
  )
}
