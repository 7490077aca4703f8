import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { FieldError } from '../../api/failure.ts'
import { forget, invalidate } from '../../api/resource.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { hasFiles } from './sources.ts'
import type { Source } from './sources.ts'

/** Deletes a data source after it has named what depends on it. */
export function DeleteSource({
  source,
  tables,
  onClose,
}: {
  readonly source: Source
  readonly tables: number | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [dependents, setDependents] = useState<readonly FieldError[]>([])
  const [isForced, setForced] = useState(false)
  const remove = async (): Promise<void> => {
    try {
      await call('delete', '/dataSources/{id}', {
        path: { id: source.id },
        query: { forceDelete: isForced },
      })
    } catch (error) {
      const failure = asFailure(error)
      if (failure.code !== 'has_dependents') throw error
      setDependents(failure.errors)
      return
    }
    toast({ text: t('data.deleted', { name: source.name }) })
    onClose()
    route(linkTo('data'))
    forget(`/dataSources/${source.id}`)
    invalidate('/dataSources')
  }
  return (
    <FormDialog
      title={t('data.deleteName', { name: source.name })}
      submit={t('data.delete')}
      danger
      refused={dependents.length > 0 && !isForced ? t('data.dependentsFirst') : undefined}
      onSubmit={remove}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {() => (
        <>
          <p>{hasFiles(source) ? t('data.deleteFiles', { count: tables ?? 0 }) : t('data.deleteDatabase')}</p>
          {dependents.length > 0 && (
            <>
              <Note kind="warning" role="alert">
                <b>{t('data.dependents', { count: dependents.length })}</b>
                <ul>
                  {dependents.map(({ pointer, message }) => (
                    <li key={pointer}>{message}</li>
                  ))}
                </ul>
              </Note>
              <Check label={t('data.deleteAnyway')} checked={isForced} onChange={setForced} />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}
