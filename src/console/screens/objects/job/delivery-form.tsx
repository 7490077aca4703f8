import type { JSX } from 'preact'

import type { Failure } from '../../../api/failure.ts'
import { Check, TextField } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { durationText, msOfDuration } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { isBadDuration } from './draft.ts'
import type { Draft } from './draft.ts'

type FormProps = {
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}

/** Name, timeout and grace. */
export function DeliveryForm({ draft, failure, onChange }: FormProps): JSX.Element {
  return (
    <Card title={t('job.config.delivery')}>
      <div class="pad formgrid">
        <TextField
          label={t('job.field.name')}
          value={draft.name}
          onValue={(name) => onChange({ name })}
          error={failure?.at('/name')}
          required
        />
        <DurationField
          label={t('job.field.timeout')}
          hint={t('job.config.timeoutHint')}
          value={draft.timeout}
          onValue={(timeout) => onChange({ timeout })}
          error={failure?.at('/parameters/timeout')}
        />
        <DurationField
          label={t('job.field.grace')}
          hint={t('job.config.graceHint')}
          value={draft.grace}
          onValue={(grace) => onChange({ grace })}
          error={failure?.at('/parameters/grace')}
        />
        <Check
          label={t('job.field.healsOnData')}
          checked={draft.healsOnData}
          onChange={(healsOnData) => onChange({ healsOnData })}
        />
      </div>
    </Card>
  )
}

const UNITS: Readonly<Record<string, string>> = { d: 'P#D', h: 'PT#H', min: 'PT#M', m: 'PT#M', s: 'PT#S' }

/** The ISO 8601 duration that a user means by `10`, `10 min`, `2 h`, `1 d` or `PT10M`. A bare number is minutes. */
function durationFrom(text: string): string {
  const match = /^\s*(\d+)\s*(d|h|min|m|s)?\s*$/i.exec(text)
  if (!match) return text.trim().toUpperCase()
  return (UNITS[(match[2] ?? 'min').toLowerCase()] ?? 'PT#M').replace('#', match[1] ?? '')
}

/** A duration: words in, ISO 8601 out. */
function DurationField({
  label,
  hint,
  value,
  onValue,
  error,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly error?: string | undefined
}): JSX.Element {
  const ms = msOfDuration(durationFrom(value))
  const meaning = value === '' ? t('job.config.none') : durationText(ms ?? 0)
  return (
    <TextField
      label={label}
      value={value}
      placeholder="10 min"
      onValue={onValue}
      onBlur={() => onValue(value === '' ? '' : durationFrom(value))}
      hint={`${ms === null && value !== '' ? '' : `${meaning.replace(/\.$/, '')}. `}${hint}`}
      error={isBadDuration(durationFrom(value)) && value !== '' ? t('job.config.badDuration') : error}
    />
  )
}
