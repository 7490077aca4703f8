import type { JSX } from 'preact'

import { SelectField } from './controls.tsx'

/** A choice of words of the API, with their texts; the chosen one is among them in any case. */
export function WordField<V extends string>({
  label,
  textOf,
  words,
  value,
  onValue,
}: {
  readonly label: string
  readonly textOf: (word: V) => string
  readonly words: readonly V[]
  readonly value: V
  readonly onValue: (value: V) => void
}): JSX.Element {
  const all = words.includes(value) ? words : [...words, value]
  return (
    <SelectField
      label={label}
      value={value}
      options={all.map((word) => ({ value: word, text: textOf(word) }))}
      onValue={onValue}
    />
  )
}
