import type { JSX } from 'preact'
import { useId } from 'preact/hooks'

/** A choice of few, each with a sentence. */
export function Choices<V extends string>({
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
