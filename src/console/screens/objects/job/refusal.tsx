import type { JSX } from 'preact'

import type { Item } from '../../../api/client.ts'
import { linkTo } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { remedyKey } from './deliveries.ts'
import type { Job } from './job.ts'

export type Refusal = Omit<Item<'/jobs/{id}/refusals'>, 'at'> & {
  readonly kind: 'refused'
  readonly at: number
}

/** A refused delivery: its sender, the reason, and the remedy. */
export function RefusalText({ job, row }: { readonly job: Job; readonly row: Refusal }): JSX.Element {
  const { code, detail, errors, sender, excerpt } = row
  const name = sender.tokenName ?? sender.username ?? sender.address
  const faults = errors.map(({ pointer, message }) => `${pointer} ${message}`).join(' ')
  return (
    <div class="col tight refusal">
      <State look="plain" state="no_data" text={t('job.deliveries.refused', { code })} />
      <span>
        {name !== null && <b>{name}: </b>}
        {faults || detail}
      </span>
      <span class="quiet">
        {t(remedyKey(code))}{' '}
        {code === 'value_not_defined' && (
          <a href={linkTo(`job/${job.id}`, { tab: 'configuration' })}>{t('job.define')}</a>
        )}
      </span>
      {excerpt !== null && <code class="faint cut">{excerpt}</code>}
    </div>
  )
}
