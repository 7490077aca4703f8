import type { JSX } from 'preact'

import type { Failure } from '../../../api/failure.ts'
import { Button, IconButton } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { Icon } from '../../../kit/icons.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { t } from '../../../language/t.ts'
import { faultsOf, operatorsOf } from './draft.ts'
import type { Draft, LimitFault } from './draft.ts'
import { isAdaptive, SEVERITIES } from './job.ts'
import { KindFields, Words } from './limit-kind-fields.tsx'
import { operatorsOfKind, sideOf, SIDES, withKey, withSide } from './limit-kind.ts'
import type { LimitRow } from './limit-kind.ts'

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

type RowProps = {
  readonly row: LimitRow
  readonly choices: readonly Choice[]
  readonly fault: LimitFault | undefined
  readonly refusal: string | undefined
  readonly onRow: (row: LimitRow | null) => void
}

function Row({ row, choices, fault, refusal, onRow }: RowProps): JSX.Element {
  const choice = choices.find(({ key }) => key === row.key)
  const error = refusal ?? faultText(fault, row)
  const name = `${t(`state.${row.severity}`)}, ${choice?.name ?? row.key}`
  return (
    <div role="group" class="field limit-group" aria-label={name}>
      <div class="limit">
        <Words
          label={t('job.config.severity')}
          value={row.severity}
          options={SEVERITIES.map((one) => [one, t(`state.${one}`)])}
          onValue={(severity) => onRow({ ...row, severity })}
        />
        <Words
          label={t('job.config.value')}
          value={row.key}
          options={choices.map((one) => [one.key, one.name])}
          onValue={(key) => onRow(withKey(row, key, operatorsOf(key)))}
        />
        {isAdaptive(row.rest) ? (
          <Words
            label={t('job.config.operator')}
            value={sideOf({ ...row.rest, operator: row.operator })}
            options={SIDES.map((side) => [side, t(`job.side.${side}`)])}
            onValue={(side) => onRow(withSide(row, side))}
          />
        ) : (
          <>
            <Words
              label={t('job.config.operator')}
              value={row.operator}
              options={operatorsOfKind(row, operatorsOf(row.key)).map((one) => [one, t(`job.op.${one}`)])}
              onValue={(operator) => onRow({ ...row, operator })}
            />
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
          </>
        )}
        <span class="row">
          <span class="quiet">{t('job.config.for')}</span>
          <input
            class="input rounds"
            inputMode="numeric"
            aria-label={t('job.config.roundsOf', { name })}
            value={row.repetition}
            onInput={(event) => onRow({ ...row, repetition: event.currentTarget.value })}
          />
          <span class="quiet">{t('job.config.rounds', { count: Number(row.repetition) })}</span>
        </span>
        <IconButton
          small
          icon="close"
          label={t('job.config.removeKey', { key: name })}
          onClick={() => onRow(null)}
        />
      </div>
      <KindFields row={row} onRow={onRow} />
      {error !== undefined && (
        <span class="err" role="status">
          <Icon name="info" />
          {error}
        </span>
      )}
    </div>
  )
}
