import type { JSX } from 'preact'

import { Icon } from '../../kit/icons.tsx'
import { t } from '../../language/t.ts'
import { RIGHTS } from './rights.ts'
import type { Explanation } from './rights.ts'

/** Yes or no for each right, with the reason. */
export function Verdict({ explanation }: { readonly explanation: Explanation }): JSX.Element {
  const { permissions, reasons } = explanation
  return (
    <div class="verdict">
      {RIGHTS.map((right) => (
        <div key={right}>
          <span class="label">{t(`users.right.${right}`)}</span>
          <b>
            <YesNo yes={permissions[right]} />
          </b>
          <span class="label">{t(`users.reason.${reasons[right]}`)}</span>
        </div>
      ))}
    </div>
  )
}

export function YesNo({ yes }: { readonly yes: boolean }): JSX.Element {
  return (
    <span class={yes ? 'row yes' : 'row faint'}>
      <Icon name={yes ? 'check' : 'close'} />
      {t(yes ? 'users.yes' : 'users.no')}
    </span>
  )
}
