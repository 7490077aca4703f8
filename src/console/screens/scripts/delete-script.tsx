import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'

import { call } from '../../api/client.ts'
import { forget, invalidate } from '../../api/resource.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { dependentTexts } from './script.ts'
import type { Script } from './script.ts'

/** Deletes a script. The objects that use it are named, and the deletion must be confirmed for them too. */
export function DeleteScript({
  script,
  onClose,
}: {
  readonly script: Script
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const { id, name } = script
  const [isForced, force] = useState(false)
  const users = dependentTexts(script.dependents)
  const remove = async (): Promise<void> => {
    await call('delete', '/scripts/{script}', {
      path: { script: String(id) },
      query: { forceDelete: isForced },
    })
    route(linkTo('scripts'), true)
    toast({ text: t('scripts.deleted', { name }) })
    forget(`/scripts/${id}`)
    invalidate('/scripts')
  }
  return (
    <FormDialog
      title={t('scripts.deleteName', { name })}
      submit={t('scripts.delete')}
      danger
      refused={users.length > 0 && !isForced ? t('scripts.confirmUsed') : undefined}
      onSubmit={remove}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <p>
            {t('scripts.deleteEffect', { name })} <b>{t('scripts.deleteFinal')}</b>
          </p>
          {users.length > 0 && failure === null && (
            <Note kind="warning">
              <b>{t('scripts.deleteUsed')}</b>
              <ul>
                {users.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Note>
          )}
          {(users.length > 0 || failure?.code === 'has_dependents') && (
            <Check label={t('scripts.deleteAnyway')} checked={isForced} onChange={force} />
          )}
        </>
      )}
    </FormDialog>
  )
}
