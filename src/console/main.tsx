import { effect } from '@preact/signals'
import { render } from 'preact'

import { API_BASE, call } from './api/client.ts'
import { onGap, startEvents } from './api/events.ts'
import { invalidate, invalidateShown } from './api/resource.ts'
import { startSession, usePersonalToken, user } from './api/session.ts'
import { BASE } from './kit/location.ts'
import { startClock, timeZone } from './kit/time.tsx'
import { changeLanguage, language, languageFor, loadWords, overlayTexts } from './language/t.ts'
import { problemWords } from './language/problems.ts'
import { words } from './language/words.ts'
import { App, StartFailure } from './shell/app.tsx'
import './shell/theme.ts'

const FONT_PATIENCE_MS = 150
const root = document.getElementById('app') as HTMLElement

language.value = languageFor(navigator.languages)
document.documentElement.lang = language.value
loadCustomStyle()
const font = loadFont()
await Promise.all([loadWords(words), loadWords(problemWords)])
try {
  startEvents()
  onGap((jobId) => (jobId === null ? invalidateShown() : invalidate(`/jobs/${jobId}`)))
  const wallToken = location.pathname === `${BASE}wall` ? location.hash.slice(1) : ''
  if (wallToken === '') await startSession()
  else usePersonalToken(decodeURIComponent(wallToken))
  startClock()
  await font
  effect(() => void followUser())
  render(<App />, root)
} catch (error) {
  render(<StartFailure error={error} />, root)
}

/** Loads the font before the first text, which would move when the font came after it. A slow font is not waited for. */
function loadFont(): Promise<unknown> {
  const patience = new Promise((resolve) => setTimeout(resolve, FONT_PATIENCE_MS))
  return Promise.race([document.fonts.load('1em "Hanken Grotesk"').catch(() => undefined), patience])
}

/** The public style of the service comes last: outside of all layers, so that it may set the tokens. */
function loadCustomStyle(): void {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = `${API_BASE}/styles/custom.css`
  document.head.append(link)
}

/** The page takes the language and the zone of its user, and the service's own texts. */
async function followUser(): Promise<void> {
  const me = user.value
  if (me === null) return
  if (me.timeZone) timeZone.value = me.timeZone
  await changeLanguage(languageFor([me.language]))
  const overlay = await call('get', '/translations/{language}', {
    path: { language: language.peek() },
  }).catch(() => null)
  if (overlay) overlayTexts(overlay.texts.map(({ key, text }) => [key, text] as const))
}
