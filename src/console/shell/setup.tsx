import type { JSX } from 'preact'

import { t } from '../language/t.ts'

/** The page of the set-up link: creates the first administrator. */
export function SetupPage(): JSX.Element {
  return (
    <main class="entrance" id="main">
      <h1>{t('setup.title')}</h1>
    </main>
  )
}
