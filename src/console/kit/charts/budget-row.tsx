import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { t } from '../../language/t.ts'
import { objectLink } from '../location.ts'
import { percentText } from '../numbers.ts'
import { shareLeft, steadyShare } from './budget.ts'
import { Staff } from './staff.tsx'

/** The error budget of a container: its name, the share that is left, and the staff. */
export function BudgetRow({ id, name }: { readonly id: number; readonly name: string }): JSX.Element {
  const { data } = useGet('/slcs/{id}', { path: { id } }, ['state'])
  const left = data ? shareLeft(data.values) : null
  return (
    <li class="slrow">
      <a href={objectLink('slc', id)} class="cut">
        {name}
      </a>
      <b class="num">{data && (left === null ? '–' : percentText(left))}</b>
      {!data && <span class="staff" />}
      {left !== null && data && (
        <Staff
          left={left}
          ideal={steadyShare(data.values.period)}
          name={t('kit.budgetName', { name, left: percentText(left) })}
        />
      )}
    </li>
  )
}
