import type { JSX } from 'preact'

import { Table } from '../../kit/data.tsx'
import { dateTimeText, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

type Props = { readonly times: readonly string[]; readonly zone: string }

/** The next times of a schedule: in its own zone, in the viewer's if that is another one, and in UTC. */
export function NextTimes({ times, zone }: Props): JSX.Element {
  const zones = [...new Set([zone, timeZone.value, 'UTC'])]
  return (
    <Table<string>
      label={t('scripts.nextTimes')}
      rows={times}
      keyOf={(at) => at}
      columns={zones.map((one) => ({
        key: one,
        title: one,
        cell: (at: string) => <time dateTime={at}>{dateTimeText(at, one)}</time>,
      }))}
    />
  )
}
