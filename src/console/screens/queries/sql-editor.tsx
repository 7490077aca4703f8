import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { background } from '../../kit/background.ts'
import type { CodeMirror } from './code-mirror.ts'
import type { Names } from './sql-language.ts'

type Props = {
  readonly label: string
  readonly text: string
  readonly names: Names
  readonly onText: (text: string) => void
  readonly onRun: () => void
  readonly onCancel: () => void
}

const PLACEHOLDER = 'SELECT id, amount\nFROM orders\nWHERE region = ${region}'

/** An editor of SQL with completion. It takes the text once, as it begins: another text needs another `key`. Until its code is
 * loaded, the text can be typed into a plain field. */
export function SqlEditor(props: Props): JSX.Element {
  const { label, text, names, onText, onRun, onCancel } = props
  const host = useRef<HTMLDivElement>(null)
  const opened = useRef<CodeMirror | null>(null)
  const latest = useRef(props)
  const [isOpen, setOpen] = useState(false)
  const [isMeasured, setMeasured] = useState(false)
  latest.current = props
  useEffect(() => {
    let isGone = false
    const open = async (): Promise<void> => {
      const [{ openCodeMirror }, { languageOf }] = await Promise.all([
        import('./code-mirror.ts'),
        import('./sql-language.ts'),
      ])
      if (isGone || host.current === null) return
      const now = latest.current
      opened.current = openCodeMirror(host.current, {
        text: now.text,
        label: now.label,
        names: now.names,
        languageOf,
        onText: (next) => latest.current.onText(next),
        onRun: () => latest.current.onRun(),
        onCancel: () => latest.current.onCancel(),
      })
      setOpen(true)
      // The editor places its lines when it has measured one, in the frame after it is shown.
      requestAnimationFrame(() => requestAnimationFrame(() => setMeasured(true)))
    }
    background(open())
    return () => {
      isGone = true
      opened.current?.close()
      opened.current = null
    }
  }, [])
  const key = JSON.stringify(names)
  useEffect(() => opened.current?.setNames(latest.current.names), [key])
  return (
    <>
      <div
        ref={host}
        class="code-editor"
        hidden={!isOpen}
        style={{ visibility: isMeasured ? 'visible' : 'hidden' }}
      />
      {!isOpen && (
        <textarea
          class="input mono sql"
          aria-label={label}
          placeholder={PLACEHOLDER}
          rows={12}
          wrap="off"
          spellcheck={false}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun()
            else if (event.key === 'Escape') onCancel()
          }}
        />
      )}
    </>
  )
}
