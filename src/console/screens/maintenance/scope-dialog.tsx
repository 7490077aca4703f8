import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { ScopeChoices } from './choices.tsx'
import type { Scope } from './changes.ts'
import type { Draft } from './drag.ts'
import { spanText } from './texts.ts'

/** Asks whether one time of a series moves, or all times from it on. */
export function ScopeDialog({
  draft,
  zone,
  onSave,
  onClose,
}: {
  readonly draft: Draft
  readonly zone: string
  readonly onSave: (scope: Scope) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const [scope, setScope] = useState<Scope>('once')
  return (
    <FormDialog
      title={t('maintenance.moveSeries')}
      submit={t('maintenance.move')}
      onSubmit={() => onSave(scope)}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            {draft.occurrence && spanText(draft.occurrence, zone)} → <b>{spanText(draft, zone)}</b>
          </p>
          <ScopeChoices texts="scope" value={scope} onChange={setScope} />
        </>
      )}
    </FormDialog>
  )
}
