import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, KeyValues, Table } from '../../kit/data.tsx'
import { Empty, FailureNote, Note, Show } from '../../kit/feedback.tsx'
import { Time } from '../../kit/time.tsx'
import { faultText } from '../../language/problems.ts'
import { t } from '../../language/t.ts'

type Report = Answer<'/ldap/sync'>
const COUNTS = ['created', 'updated', 'disabled', 'unchanged', 'failed'] as const

/** The latest sync with the LDAP directory, and a button that starts one. */
export function Directory(): JSX.Element {
  const latest = useGet('/ldap/sync', {})
  const [failure, setFailure] = useState<Failure | null>(null)
  const refused = user.value?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  const sync = async (): Promise<void> => {
    setFailure(null)
    try {
      await call('post', '/ldap/sync', {})
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      latest.reload()
      invalidate('/users', '/userGroups')
    }
  }
  const start = (
    <Button icon="refresh" refused={refused} action={sync}>
      {t('users.syncNow')}
    </Button>
  )
  const isNone = latest.failure?.status === 404
  return (
    <Card title={t('users.latestSync')} actions={!isNone && start}>
      {failure && (
        <div class="pad">
          <FailureNote failure={failure} what={t('users.syncFailed')} />
        </div>
      )}
      {isNone ? (
        <Empty title={t('users.noSync')} text={t('users.noSyncText')} action={start} />
      ) : (
        <Show resource={latest} what={t('users.syncUnread')}>
          {(report) => <SyncReport report={report} />}
        </Show>
      )}
    </Card>
  )
}

function SyncReport({ report }: { readonly report: Report }): JSX.Element {
  return (
    <>
      <div class="pad col">
        {report.problem !== null && <Note kind="warning">{report.problem}</Note>}
        <KeyValues
          rows={[
            [t('users.syncEnded'), <Time key="at" at={report.endedAt} />],
            ...COUNTS.map((count) => [t(`users.sync.${count}`), report[count]] as const),
          ]}
        />
      </div>
      {report.failures.length > 0 && (
        <Table<Report['failures'][number]>
          label={t('users.syncSkipped')}
          rows={report.failures}
          keyOf={({ name, message }) => `${name} ${message}`}
          columns={[
            {
              key: 'name',
              title: t('users.syncEntry'),
              cell: ({ name }) => <span class="agent">{name}</span>,
            },
            {
              key: 'why',
              title: t('users.syncWhy'),
              cell: ({ message }) => <span class="wrapped">{faultText(message)}</span>,
            },
          ]}
        />
      )}
    </>
  )
}
