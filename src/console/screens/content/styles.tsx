import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { Button, Chip, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { TextEditor } from '../../kit/text-editor.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { LEAST, unreadablePairs } from './contrast.ts'
import { refusedToChange } from './rights.ts'

const URL = '/styles/custom.css'
const PAINT_MS = 200
const EXAMPLE = ':root {\n  --accent: light-dark(#7a3e9d, #c9a2e0);\n  --radius: 8px;\n}'

/** The style that every page of the console adds: edited with a preview on this page. */
export function Styles(): JSX.Element {
  const [text, setText] = useState<string | null>(null)
  const [version, setVersion] = useState(0)
  const [isResetting, setResetting] = useState(false)
  const poor = usePreview(text)
  const refused = refusedToChange()
  const reset = async (): Promise<void> => {
    await call('delete', '/styles/{filename}', { path: { filename: 'custom.css' } })
    renewStoredStyle()
    setVersion(version + 1)
    toast({ text: t('content.resetDone') })
  }
  return (
    <div class="pad style-editor">
      <TextEditor
        key={version}
        url={URL}
        name="custom.css"
        type="text/css"
        rows={20}
        refused={refused}
        onText={setText}
        onSaved={renewStoredStyle}
        actions={
          <Button
            small
            kind="danger"
            refused={refused ?? (text === '' ? t('content.nothingToReset') : undefined)}
            onClick={() => setResetting(true)}
          >
            {t('content.reset')}
          </Button>
        }
      />
      <section class="col" aria-label={t('content.preview')}>
        <h2>{t('content.preview')}</h2>
        <p class="quiet">{t('content.previewText')}</p>
        <KitParts />
        {poor.map(({ text: name, ground, ratio }) => (
          <Note key={name + ground} kind="warning" role="status">
            {t('content.unreadable', { text: name, ground, ratio: ratio.toFixed(1), least: String(LEAST) })}
          </Note>
        ))}
        <p class="label">{t('content.example')}</p>
        <pre class="example" tabIndex={0} role="region" aria-label={t('content.example')}>
          {EXAMPLE}
        </pre>
      </section>
      {isResetting && (
        <Confirm
          title={t('content.reset')}
          effect={t('content.resetEffect')}
          submit={t('content.reset')}
          onConfirm={reset}
          onClose={() => setResetting(false)}
        />
      )}
    </div>
  )
}

/** A few parts of the kit that show most of the public properties. */
function KitParts(): JSX.Element {
  const [value, setValue] = useState('42.5')
  const [isOn, setOn] = useState(true)
  return (
    <div class="kit-parts">
      <span class="row wrap">
        <Button kind="primary">{t('alarm.acknowledge')}</Button>
        <Button>{t('kit.cancel')}</Button>
        <Chip pressed={isOn} onChange={setOn}>
          {t('content.part.chip')}
        </Chip>
      </span>
      <span class="row wrap">
        {(['ok', 'warning', 'minor', 'major', 'maintenance_ok', 'no_data'] as const).map((state) => (
          <State key={state} state={state} />
        ))}
      </span>
      <TextField label={t('content.part.field')} value={value} onValue={setValue} unit="m³/h" />
      <Note>{t('content.part.note')}</Note>
    </div>
  )
}

/** Applies a text to the page in the place of the stored style while the screen is open.
 * @returns the pairs of text and ground that became hard to read */
function usePreview(text: string | null): ReturnType<typeof unreadablePairs> {
  const [poor, setPoor] = useState<ReturnType<typeof unreadablePairs>>([])
  useEffect(() => {
    if (text === null) return undefined
    const sheet = new CSSStyleSheet()
    const link = storedStyle()
    const timer = setTimeout(() => {
      sheet.replaceSync(text)
      if (link) link.disabled = true
      document.adoptedStyleSheets = [sheet]
      setPoor(unreadablePairs())
    }, PAINT_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(
    () => () => {
      document.adoptedStyleSheets = []
      const link = storedStyle()
      if (link) link.disabled = false
    },
    [],
  )
  return poor
}

function storedStyle(): HTMLLinkElement | null {
  return document.querySelector('link[href*="/styles/custom.css"]')
}

/** Reads the stored style again: browsers keep it for a minute. */
function renewStoredStyle(): void {
  const link = storedStyle()
  if (link) link.href = `${link.href.split('?')[0]}?at=${Date.now()}`
}
