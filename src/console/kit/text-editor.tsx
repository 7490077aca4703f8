import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { send } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { background, useAction } from './background.ts'
import { Button } from './controls.tsx'
import { FailureNote, Note, Skeleton } from './feedback.tsx'
import { toast } from './toasts.ts'
import { t } from '../language/t.ts'

type Stored = { readonly text: string; readonly etag: string | null }
type Props = {
  readonly url: string
  readonly name: string
  readonly type: string
  /** Why the text cannot be changed; it can be read all the same. */
  readonly refused: string | undefined
  readonly actions: ComponentChildren
  readonly onSaved: () => void
  /** Called with each text that is read or typed. */
  readonly onText?: (text: string) => void
  readonly rows?: number
}

/** A text file to read and change. A newer version in the service is never overwritten unasked. */
export function TextEditor(props: Props): JSX.Element {
  const { url, name, type, refused, actions, onSaved, onText, rows = 24 } = props
  const [stored, setStored] = useState<Stored | null>(null)
  const [text, setText] = useState('')
  const [failure, setFailure] = useState<Failure | null>(null)
  const read = async (): Promise<void> => {
    try {
      const answer = await send('GET', url, { cache: 'no-store' })
      const content = await answer.text()
      setStored({ text: content, etag: answer.headers.get('etag') })
      setText(content)
      setFailure(null)
    } catch (error) {
      setFailure(asFailure(error))
    }
  }
  useEffect(() => void read(), [url])
  useEffect(() => onText?.(text), [text])
  const save = useAction(async () => {
    if (refused !== undefined || stored === null || text === stored.text) return
    // A text without a tag stands for a file that does not exist yet.
    const match = stored.etag === null ? { 'if-none-match': '*' } : { 'if-match': stored.etag }
    try {
      const answer = await send('PUT', url, { headers: { 'content-type': type, ...match }, body: text })
      setStored({ text, etag: answer.headers.get('etag') })
      setFailure(null)
      toast({ text: t('editor.saved', { name }) })
      onSaved()
    } catch (error) {
      setFailure(asFailure(error))
    }
  })
  if (stored === null)
    return failure ? (
      <FailureNote failure={failure} retry={() => background(read())} />
    ) : (
      <Skeleton lines={8} />
    )
  return (
    <div class="col editor">
      <div class="row wrap">
        <h2 class="cut">{name}</h2>
        <span class="end row wrap">
          {actions}
          <Button
            small
            kind="primary"
            refused={refused ?? (text === stored.text ? t('editor.unchanged') : undefined)}
            busy={save.isBusy}
            onClick={() => save.start()}
          >
            {t('editor.save')}
          </Button>
        </span>
      </div>
      {failure?.status === 412 ? (
        <Note
          kind="warning"
          role="alert"
          action={
            <Button small action={() => read()}>
              {t('editor.readAgain')}
            </Button>
          }
        >
          {t('editor.changedMeanwhile')}
        </Note>
      ) : (
        failure && <FailureNote failure={failure} what={t('feedback.notDone')} />
      )}
      <textarea
        class="input mono"
        aria-label={t('editor.contentOf', { name })}
        rows={rows}
        wrap="off"
        spellcheck={false}
        value={text}
        readOnly={refused !== undefined}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save.start()
        }}
      />
    </div>
  )
}
