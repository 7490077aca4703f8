import type { JSX } from 'preact'
import { useId } from 'preact/hooks'

import { t } from '../../language/t.ts'
import type { Scope } from './changes.ts'

/** A choice of few, each with a sentence. */
function Choices<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: V
  readonly options: readonly { readonly value: V; readonly text: string }[]
  readonly onChange: (value: V) => void
}): JSX.Element {
  const name = useId()
  return (
    <fieldset class="col">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="check">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Whether a change is about one time of a series, or about all times from it on.
 * @param texts the group of sentences */
export function ScopeChoices({
  texts,
  value,
  onChange,
}: {
  readonly texts: 'scope' | 'ends'
  readonly value: Scope
  readonly onChange: (value: Scope) => void
}): JSX.Element {
  return (
    <Choices
      label={t('maintenance.scope')}
      value={value}
      onChange={onChange}
      options={(['once', 'later'] as const).map((one) => ({
        value: one,
        text: t(`maintenance.${texts}.${one}`),
      }))}
    />
  )
}
