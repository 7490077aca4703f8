import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import { useAction } from '../../kit/background.ts'
import { Button, Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, KeyValues } from '../../kit/data.tsx'
import { Note, StoredReason } from '../../kit/feedback.tsx'
import { Ago, durationText, now, Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { indexesOf, textOfIndexes } from './indexes.ts'
import type { Query, QueryDraft } from './query.ts'

const INTERVALS = ['', 'none', 'daily', 'hourly', 'minutely'] as const
type Interval = (typeof INTERVALS)[number]

type Props = {
  readonly query: Query | undefined
  readonly draft: QueryDraft
  readonly change: (part: Partial<QueryDraft>) => void
  readonly failure: Failure | null
}

/** Whether the result is stored and how often it is computed anew, and who else may see it. */
export function StorageCard({ query, draft, change, failure }: Props): JSX.Element {
  const { materialization } = draft
  const [indexes, setIndexes] = useState(textOfIndexes(materialization?.indexes ?? []))
  const choose = (refresh: Interval): void =>
    change({
      materialization: refresh === '' ? null : { indexes: [], ...materialization, refresh },
    })
  return (
    <Card title={t('queries.storage')}>
      <div class="pad col">
        <SelectField
          label={t('queries.computed')}
          value={materialization?.refresh ?? ''}
          options={INTERVALS.map((value) => ({ value, text: t(`queries.computed.${value || 'each'}`) }))}
          onValue={choose}
          error={failure?.at('/materialization')}
        />
        {materialization && (
          <TextField
            label={t('queries.indexes')}
            hint={t('queries.indexesHint')}
            value={indexes}
            onValue={(text) => {
              setIndexes(text)
              change({ materialization: { ...materialization, indexes: [...indexesOf(text)] } })
            }}
          />
        )}
        <Check
          label={t('queries.forDashboards')}
          checked={draft.accessibleFromDashboards}
          onChange={(accessibleFromDashboards) => change({ accessibleFromDashboards })}
        />
        {query?.result && <Stored id={query.id} result={query.result} />}
      </div>
    </Card>
  )
}

/** The stored result: its age, when it is computed next, and how late that is. */
function Stored({
  id,
  result,
}: {
  readonly id: number
  readonly result: NonNullable<Query['result']>
}): JSX.Element {
  const { refreshedAt, nextRefreshAt, isRefreshing, rows, error } = result
  const lateMs = nextRefreshAt === null ? 0 : now.value - Date.parse(nextRefreshAt)
  const refresh = useAction(async () => {
    await call('post', '/dataQueries/{id}/refresh', { path: { id }, query: { wait: 'PT20S' } })
    invalidate('/dataQueries')
    toast({ text: t('queries.isComputed') })
  })
  return (
    <>
      <KeyValues
        rows={[
          [t('queries.storedRows'), rows],
          [t('queries.storedAt'), refreshedAt === null ? '–' : <Ago at={refreshedAt} />],
          [t('queries.nextAt'), nextRefreshAt === null ? t('queries.onDemand') : <Time at={nextRefreshAt} />],
          ...(lateMs > 0 ? [[t('queries.lag'), durationText(lateMs)] as const] : []),
        ]}
      />
      {error && (
        <Note kind="minor">
          <b>{t('queries.notComputed')}</b>
          <StoredReason reason={error.detail} />
        </Note>
      )}
      <span>
        <Button small icon="refresh" busy={isRefreshing || refresh.isBusy} onClick={() => refresh.start()}>
          {t('queries.compute')}
        </Button>
      </span>
    </>
  )
}
