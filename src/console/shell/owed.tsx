import type { JSX } from 'preact'

import { owedAction } from '../api/session.ts'
import { t } from '../language/t.ts'

/** The page of a user who must set up MFA or change the password before anything else. */
export function OwedPage(): JSX.Element {
  return (
    <main class="entrance" id="main">
      <h1>{t(`owed.${owedAction.value}`)}</h1>
    </main>
  )
}
