import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Check, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { Query } from './query.ts'

/** Makes the draft the next version. A draft with faults is published only on request. */
export function PublishDialog({
  query,
  onClose,
}: {
  readonly query: Query
  readonly onClose: () => void
}): JSX.Element {
  const [description, setDescription] = useState('')
  const [force, setForce] = useState(false)
  const hasFaults = query.errors.length > 0
  return (
    <FormDialog
      title={t('queries.publishName', { name: query.name, number: query.published + 1 })}
      submit={t('queries.publish')}
      refused={hasFaults && !force ? t('queries.faultsFirst') : undefined}
      onSubmit={async () => {
        await call('post', '/dataQueries/{id}/publish', {
          path: { id: query.id },
          body: { description, force },
        })
        invalidate('/dataQueries')
        toast({ text: t('queries.isPublished', { name: query.name }) })
      }}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t(query.published === 0 ? 'queries.firstNote' : 'queries.changes')}
            value={description}
            onValue={setDescription}
            error={failure?.at('/description')}
            autofocus
          />
          {hasFaults && (
            <>
              <Note kind="warning">{t('queries.hasFaults', { count: query.errors.length })}</Note>
              <Check label={t('queries.publishAnyway')} checked={force} onChange={setForce} />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}
