import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Check, Field } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import type { Source } from './sources.ts'

/** Sets the comment on a table or on one of its columns, in Tidemark or in the database. An empty text removes it.
 * @param column absent: the comment is on the table */
export function CommentDialog({
  source,
  table,
  column,
  comment,
  onClose,
}: {
  readonly source: Source
  readonly table: string
  readonly column?: string
  readonly comment: string | null
  readonly onClose: () => void
}): JSX.Element {
  const [text, setText] = useState(comment ?? '')
  const [isInDatabase, setInDatabase] = useState(false)
  const canWrite = source.type === 'postgresql' && !source.readOnly
  const save = async (): Promise<void> => {
    const target: 'source' | 'overlay' = isInDatabase ? 'source' : 'overlay'
    const body = { comment: text.trim() === '' ? null : text, target }
    const path = { id: source.id, table }
    if (column === undefined) await call('put', '/dataSources/{id}/tables/{table}/comment', { path, body })
    else
      await call('put', '/dataSources/{id}/tables/{table}/columns/{column}/comment', {
        path: { ...path, column },
        body,
      })
    invalidate(`/dataSources/${source.id}`)
  }
  return (
    <FormDialog
      title={t('data.commentOn', { name: column ?? table })}
      submit={t('data.save')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <Field label={t('data.comment')} hint={t('data.commentHint')} error={failure?.at('/comment')}>
            {(attributes) => (
              <textarea
                class="input"
                rows={3}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                {...attributes}
              />
            )}
          </Field>
          {canWrite && (
            <Check label={t('data.commentInDatabase')} checked={isInDatabase} onChange={setInDatabase} />
          )}
        </>
      )}
    </FormDialog>
  )
}
