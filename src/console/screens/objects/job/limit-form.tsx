import type { JSX } from 'preact'

import type { Failure } from '../../../api/failure.ts'
import { Button, IconButton } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { Icon } from '../../../kit/icons.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { t } from '../../../language/t.ts'
import { faultsOf, operatorsOf } from './draft.ts'
import type { Draft, LimitFault, LimitRow } from './draft.ts'
import { SEVERITIES } from './job.ts'

type FormProps = {
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}
type Choice = { readonly key: string; readonly name: string; readonly unit: string }

/** The values to which a limit can apply. */
function choicesOf({ numbers, texts }: Draft): readonly Choice[] {
  const of = (rows: Draft['numbers'], kind: string): Choice[] =>
    rows.map(({ name, unit }, index) => ({
      key: `${kind}${index + 1}`,
      name: name || `${kind}${index + 1}`,
      unit,
    }))
  return [
    ...of(numbers, 'returnValue'),
    ...of(texts, 'stringValue'),
    { key: 'errorCode', name: t('job.send.code'), unit: '' },
  ]
}

/** The limits of the job, one row each. */
export function LimitForm({ draft, failure, onChange }: FormProps): JSX.Element {
  const choices = choicesOf(draft)
  const faults = faultsOf(draft.limits)
  const add = (): void => {
    const severity = SEVERITIES.find((one) => !draft.limits.some((row) => row.severity === one)) ?? 'warning'
    const key = choices[0]?.key ?? 'errorCode'
    const row: LimitRow = {
      severity,
      key,
      operator: operatorsOf(key)[0] ?? '=',
      value: '',
      repetition: '1',
      rest: {},
    }
    onChange({ limits: [...draft.limits, row] })
  }
  return (
    <Card
      title={t('job.config.limits')}
      note={t('job.config.limitsNote')}
      actions={
        <Button small icon="plus" onClick={add}>
          {t('job.config.addLimit')}
        </Button>
      }
    >
      <div class="pad col">
        {draft.limits.length === 0 && <p class="quiet">{t('job.config.noLimits')}</p>}
        {draft.limits.map((row, index) => (
          <Row
            key={index}
            row={row}
            choices={choices}
            fault={faults[index]}
            refusal={failure?.at(pointerOf(draft.limits, index))}
            onRow={(next) =>
              onChange({
                limits: draft.limits.flatMap((one, at) => {
                  if (at !== index) return [one]
                  return next === null ? [] : [next]
                }),
              })
            }
          />
        ))}
      </div>
    </Card>
  )
}

/** The JSON pointer of the number of a limit. */
function pointerOf(rows: readonly LimitRow[], index: number): string {
  const severity = rows[index]?.severity
  const place = rows.slice(0, index).filter((row) => row.severity === severity).length
  return `/thresholds/${severity}/conditions/${place}/value`
}

function faultText(fault: LimitFault | undefined, { severity }: LimitRow): string | undefined {
  if (fault === undefined) return undefined
  if (fault.kind === 'number') return t('job.config.noNumber')
  return t('job.config.hidden', {
    severity: t(`state.${severity}`),
    by: t(`state.${fault.by}`),
    value: numberText(fault.value, 4),
  })
}

function Row({
  row,
  choices,
  fault,
  refusal,
  onRow,
}: {
  readonly row: LimitRow
  readonly choices: readonly Choice[]
  readonly fault: LimitFault | undefined
  readonly refusal: string | undefined
  readonly onRow: (row: LimitRow | null) => void
}): JSX.Element {
  const choice = choices.find(({ key }) => key === row.key)
  const error = refusal ?? faultText(fault, row)
  const name = `${t(`state.${row.severity}`)}, ${choice?.name ?? row.key}`
  const option = (value: string, text: string): JSX.Element => (
    <option key={value} value={value}>
      {text}
    </option>
  )
  const select = (
    label: string,
    value: string,
    options: JSX.Element[],
    change: (value: string) => void,
  ): JSX.Element => (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {options}
    </select>
  )
  return (
    <div role="group" class="field" aria-label={name}>
      <div class="limit">
        {select(
          t('job.config.severity'),
          row.severity,
          SEVERITIES.map((one) => option(one, t(`state.${one}`))),
          (severity) => onRow({ ...row, severity: severity as LimitRow['severity'] }),
        )}
        {select(
          t('job.config.value'),
          row.key,
          choices.map((one) => option(one.key, one.name)),
          (key) => onRow({ ...row, key, operator: operatorsOf(key)[0] ?? '=' }),
        )}
        {select(
          t('job.config.operator'),
          row.operator,
          operatorsOf(row.key).map((one) => option(one, t(`job.op.${one}`))),
          (operator) => onRow({ ...row, operator: operator as LimitRow['operator'] }),
        )}
        <span class="with-unit">
          <input
            class="input"
            aria-label={t('job.config.limitOf', { name })}
            value={row.value}
            {...(error === undefined ? {} : { 'aria-invalid': true })}
            onInput={(event) => onRow({ ...row, value: event.currentTarget.value })}
          />
          {choice?.unit && <span>{choice.unit}</span>}
        </span>
        <span class="quiet">{t('job.config.for')}</span>
        <input
          class="input rounds"
          inputMode="numeric"
          aria-label={t('job.config.roundsOf', { name })}
          value={row.repetition}
          onInput={(event) => onRow({ ...row, repetition: event.currentTarget.value })}
        />
        <span class="quiet">{t('job.config.rounds')}</span>
        <IconButton
          small
          icon="close"
          label={t('job.config.removeKey', { key: name })}
          onClick={() => onRow(null)}
        />
      </div>
      {error !== undefined && (
        <span class="err" role="status">
          <Icon name="info" />
          {error}
        </span>
      )}
    </div>
  )
}
