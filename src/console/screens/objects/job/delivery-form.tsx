import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

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

/** The text from which `durationFrom` makes a duration of one unit; other durations stay as they are. */
function wordsOf(duration: string): string {
  const [, days, time, unit] = /^P(?:(\d+)D|T(\d+)([HMS]))$/.exec(duration) ?? []
  if (days !== undefined) return `${days} d`
  return time === undefined ? duration : `${time} ${{ H: 'h', M: 'min', S: 's' }[unit ?? ''] ?? ''}`
}

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
  const [typed, setTyped] = useState<string | null>(null)
  const ms = msOfDuration(value)
  const meaning = value === '' ? t('job.config.none') : durationText(ms ?? 0)
  return (
    <TextField
      label={label}
      value={typed ?? wordsOf(value)}
      placeholder="10 min"
      onValue={(text) => {
        setTyped(text)
        onValue(text === '' ? '' : durationFrom(text))
      }}
      onBlur={() => setTyped(null)}
      hint={`${ms === null && value !== '' ? '' : `${meaning.replace(/\.$/, '')}. `}${hint}`}
      error={isBadDuration(value) ? t('job.config.badDuration') : error}
    />
  )
}
