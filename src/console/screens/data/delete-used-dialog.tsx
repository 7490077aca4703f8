import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import { asFailure } from '../../api/failure.ts'
import type { FieldError } from '../../api/failure.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'

/** Deletes an object. If other objects use it, the dialog lists them, and the user must confirm the deletion. */
export function DeleteUsedDialog({
  name,
  effect,
  usedBy,
  forceFirst,
  onDelete,
  onDeleted,
  onClose,
}: {
  readonly name: string
  readonly effect: string
  /** The heading of the references. */
  readonly usedBy?: (count: number) => ComponentChildren
  /** Why the button refuses until the deletion is forced. */
  readonly forceFirst: string
  readonly onDelete: (isForced: boolean) => Promise<unknown>
  /** Called after the dialog has closed. */
  readonly onDeleted: () => void
  readonly onClose: () => void
}): JSX.Element {
  const [dependents, setDependents] = useState<readonly FieldError[]>([])
  const [isForced, setForced] = useState(false)
  const remove = async (): Promise<void> => {
    try {
      await onDelete(isForced)
    } catch (error) {
      const failure = asFailure(error)
      if (failure.code !== 'has_dependents') throw error
      setDependents(failure.errors)
      return
    }
    toast({ text: t('data.deleted', { name }) })
    onClose()
    onDeleted()
  }
  return (
    <FormDialog
      title={t('data.deleteName', { name })}
      submit={t('data.delete')}
      danger
      refused={dependents.length > 0 && !isForced ? forceFirst : undefined}
      onSubmit={remove}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {() => (
        <>
          <p>{effect}</p>
          {dependents.length > 0 && (
            <>
              <Note kind="warning" role="alert">
                {usedBy && <b>{usedBy(dependents.length)}</b>}
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
