import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import { KeyValues } from '../../kit/data.tsx'
import { FailureNote, Note, Progress } from '../../kit/feedback.tsx'
import { Dialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import type { Source } from './sources.ts'

type Sync = Answer<'/dataSources/{id}/syncSchema', 'post'>

/** Reads the schema of a database again, and names what changed since the last time. */
export function SyncDialog({
  source,
  onClose,
}: {
  readonly source: Source
  readonly onClose: () => void
}): JSX.Element {
  const [sync, setSync] = useState<Sync | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const read = async (): Promise<void> => {
    setFailure(null)
    try {
      setSync(await call('post', '/dataSources/{id}/syncSchema', { path: { id: source.id } }))
      invalidate(`/dataSources/${source.id}`)
    } catch (error) {
      setFailure(asFailure(error))
    }
  }
  useEffect(() => void read(), [])
  return (
    <Dialog title={t('data.syncName', { name: source.name })} onClose={onClose}>
      {failure && <FailureNote failure={failure} what={t('data.syncFailed')} retry={() => void read()} />}
      {!failure && !sync && <Progress value={null} label={t('data.syncing')} />}
      {sync && <Changes sync={sync} />}
    </Dialog>
  )
}

function Changes({ sync }: { readonly sync: Sync }): JSX.Element {
  const { tables, columns, unmatchedNotes } = sync
  const rows = (['added', 'removed', 'changed'] as const)
    .filter((kind) => sync[kind].length > 0)
    .map((kind) => [t(`data.sync.${kind}`), sync[kind].join(', ')] as const)
  return (
    <div class="col" role="status">
      <Note kind="ok" icon="check">
        {t('data.synced', { tables, columns })} {rows.length === 0 && t('data.syncSame')}
      </Note>
      <KeyValues rows={rows} />
      {unmatchedNotes.length > 0 && (
        <Note kind="warning">
          <b>{t('data.unmatchedNotes')}</b>
          <ul>
            {unmatchedNotes.map(({ table, column }) => (
              <li key={`${table}.${column}`}>{column === null ? table : `${table}.${column}`}</li>
            ))}
          </ul>
        </Note>
      )}
    </div>
  )
}
