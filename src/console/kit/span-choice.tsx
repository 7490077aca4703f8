import type { JSX } from 'preact'

import { SelectField } from './controls.tsx'
import { durationText, msOfDuration } from './time.tsx'

/** A choice among ISO 8601 durations, which may have a sign; the chosen one is among them in any case. */
export function SpanChoice({
  label,
  value,
  spans,
  onValue,
}: {
  readonly label: string
  readonly value: string
  readonly spans: readonly string[]
  readonly onValue: (value: string) => void
}): JSX.Element {
  const all = spans.includes(value) ? spans : [...spans, value]
  const textOf = (span: string): string => {
    const ms = msOfDuration(span.replace(/^-/, ''))
    return ms === null ? span : durationText(ms)
  }
  return (
    <SelectField
      label={label}
      value={value}
      options={all.map((span) => ({ value: span, text: textOf(span) }))}
      onValue={onValue}
    />
  )
}
