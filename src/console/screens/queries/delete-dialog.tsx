import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { forget, invalidate } from '../../api/resource.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { DependentList } from './dependents.tsx'
import type { Dependents } from './dependents.tsx'
import type { Query } from './query.ts'

/** Deletes a data query. While others refer to it, that must be asked for. */
export function DeleteDialog({
  query,
  dependents,
  onClose,
}: {
  readonly query: Query
  readonly dependents: Dependents
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [isForced, setForced] = useState(false)
  const items = dependents.data?.items ?? []
  const remove = async (): Promise<void> => {
    try {
      await call('delete', '/dataQueries/{id}', { path: { id: query.id }, query: { forceDelete: isForced } })
    } catch (error) {
      // Another data query refers to it since the dialog has opened.
      if (asFailure(error).code === 'has_dependents') dependents.reload()
      throw error
    }
    toast({ text: t('data.deleted', { name: query.name }) })
    forget(`/dataQueries/${query.id}`)
    invalidate('/dataQueries')
    route(linkTo('queries', { group: query.groupId }))
  }
  return (
    <FormDialog
      title={t('data.deleteName', { name: query.name })}
      submit={t('data.delete')}
      danger
      refused={items.length > 0 && !isForced ? t('queries.usedByFirst') : undefined}
      forcing={items.length > 0 ? undefined : { isForced, onChange: setForced }}
      onSubmit={remove}
      onClose={onClose}
    >
      {() => (
        <>
          <p>{t('queries.deleteEffect', { count: query.published })}</p>
          {items.length > 0 && (
            <>
              <Note kind="warning">
                <b>{t('queries.deleteUsed', { count: items.length })}</b>
                <DependentList dependents={items} />
              </Note>
              <Check label={t('data.deleteAnyway')} checked={isForced} onChange={setForced} />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}
