import type { JSX } from 'preact'

import { SelectField } from '../../kit/controls.tsx'
import { stateWord } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { STATES } from './recipients.ts'

type State = (typeof STATES)[number]

/** The state from which on alarms are sent. */
export function LeastState({
  value,
  onValue,
}: {
  readonly value: State
  readonly onValue: (value: State) => void
}): JSX.Element {
  return (
    <SelectField
      label={t('notifications.from')}
      value={value}
      onValue={onValue}
      options={STATES.map((one) => ({ value: one, text: stateWord(one) }))}
    />
  )
}
