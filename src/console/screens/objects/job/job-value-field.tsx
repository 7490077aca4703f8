import type { JSX } from 'preact'

import { useGet } from '../../../api/resource.ts'
import { SelectField } from '../../../kit/controls.tsx'
import { valuesOf } from './job.ts'

/** A value of a job, chosen by its name; nothing before the job is chosen. */
export function JobValueField({
  label,
  jobId,
  value,
  numbersOnly = false,
  error,
  onValue,
}: {
  readonly label: string
  readonly jobId: number | null
  /** `returnValue1`, `stringValue1`, … */
  readonly value: string
  readonly numbersOnly?: boolean
  readonly error?: string | undefined
  readonly onValue: (key: string) => void
}): JSX.Element | null {
  const job = useGet('/jobs/{id}', jobId === null ? null : { path: { id: jobId } }).data
  if (jobId === null) return null
  const defined = job ? valuesOf(job).filter(({ isText }) => !isText || !numbersOnly) : []
  const options = defined.map(({ key, name }) => ({ value: key, text: name }))
  const isKnown = options.some((option) => option.value === value)
  return (
    <SelectField
      label={label}
      value={value}
      error={error}
      options={isKnown ? options : [{ value, text: value }, ...options]}
      onValue={onValue}
    />
  )
}
