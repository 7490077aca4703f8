import type { JSX } from 'preact'

import { Button, Check, IconButton, SelectField, TextField } from '../../kit/controls.tsx'
import type { Failure } from '../../api/failure.ts'
import { t } from '../../language/t.ts'
import { shiftDay } from './days.ts'
import { durationIn } from './duration.ts'
import { newRule, newTime, RULE_TYPES } from './form.ts'
import type { Form, RuleForm, TimeForm } from './form.ts'
import { dayName } from './texts.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const ZONES_ID = 'maintenance-zones'
const WEEKDAYS = ['1', '2', '3', '4', '5', '6', '7'] as const

type Props = {
  readonly form: Form
  readonly zone: string
  readonly failure: Failure | null
  readonly onChange: (rules: readonly RuleForm[]) => void
}

/** The times at which a revaluation applies, and exceptions from them, one by one. */
export function RulesEditor({ form, zone, failure, onChange }: Props): JSX.Element {
  const { rules } = form
  const change = (key: number, part: Partial<RuleForm>): void =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)))
  return (
    <div class="col spread">
      <datalist id={ZONES_ID}>
        {ZONES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {rules.map((rule, index) => (
        <fieldset key={rule.key} class="col rule-box">
          <legend>{t('maintenance.rule', { number: index + 1 })}</legend>
          <div class="row wrap end-aligned">
            <SelectField
              label={t('maintenance.recurs')}
              value={rule.type}
              onValue={(type) =>
                change(rule.key, {
                  type,
                  times: rule.times.length > 0 ? rule.times : [newTime(form)],
                })
              }
              options={RULE_TYPES.map((value) => ({ value, text: t(`maintenance.recur.${value}`) }))}
            />
            <TextField
              label={t('maintenance.zone')}
              value={rule.timezone}
              list={ZONES_ID}
              onValue={(timezone) => change(rule.key, { timezone })}
              error={failure?.at(`/active/${index}/timezone`)}
            />
            <TextField
              label={t('maintenance.ruleName')}
              value={rule.name}
              onValue={(name) => change(rule.key, { name })}
              error={failure?.at(`/active/${index}/name`)}
            />
          </div>
          <Check
            label={t('maintenance.exception')}
            checked={rule.exception}
            onChange={(exception) => change(rule.key, { exception })}
          />
          {rule.type !== 'manual' &&
            rule.times.map((time, at) => (
              <TimeFields
                key={time.key}
                rule={rule}
                time={time}
                errorAt={(field) => failure?.at(`/active/${index}/times/${at}/${field}`)}
                onChange={(part) =>
                  change(rule.key, {
                    times: rule.times.map((one) => (one.key === time.key ? { ...one, ...part } : one)),
                  })
                }
                onRemove={() => change(rule.key, { times: rule.times.filter((one) => one.key !== time.key) })}
              />
            ))}
          <div class="row">
            {rule.type !== 'manual' && (
              <Button
                small
                icon="plus"
                onClick={() => change(rule.key, { times: [...rule.times, newTime(form)] })}
              >
                {t('maintenance.addTime')}
              </Button>
            )}
            <Button small kind="ghost" onClick={() => onChange(rules.filter(({ key }) => key !== rule.key))}>
              {t('maintenance.removeRule')}
            </Button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <Button small icon="plus" onClick={() => onChange([...rules, newRule(form, zone)])}>
          {t('maintenance.addRule')}
        </Button>
      </div>
    </div>
  )
}

type TimeProps = {
  readonly rule: RuleForm
  readonly time: TimeForm
  readonly errorAt: (field: string) => string | undefined
  readonly onChange: (part: Partial<TimeForm>) => void
  readonly onRemove: () => void
}

function TimeFields({ rule, time, errorAt, onChange, onRemove }: TimeProps): JSX.Element {
  const isUnclear = time.duration !== '' && durationIn(time.duration) === null
  return (
    <div class="row wrap end-aligned">
      {rule.type === 'weekly' && (
        <SelectField
          label={t('maintenance.weekday')}
          value={time.weekday}
          onValue={(weekday) => onChange({ weekday })}
          options={WEEKDAYS.map((value) => ({
            value: value as string,
            // A Monday.
            text: dayName(shiftDay('2024-01-01', Number(value) - 1), { weekday: 'long' }),
          }))}
        />
      )}
      {rule.type === 'monthly' && (
        <TextField
          label={t('maintenance.day')}
          type="number"
          min={1}
          max={31}
          value={time.day}
          onValue={(day) => onChange({ day })}
          error={errorAt('day')}
        />
      )}
      {rule.type === 'one_time' && (
        <TextField
          label={t('maintenance.date')}
          type="date"
          value={time.date}
          onValue={(date) => onChange({ date })}
          error={errorAt('date')}
        />
      )}
      <TextField
        label={t('maintenance.at')}
        type="time"
        value={time.begin}
        onValue={(begin) => onChange({ begin })}
        error={errorAt('begin')}
      />
      <TextField
        label={t('maintenance.duration')}
        value={time.duration}
        placeholder="1 h 30 min"
        onValue={(duration) => onChange({ duration })}
        error={isUnclear ? t('maintenance.durationHint') : errorAt('duration')}
      />
      {rule.times.length > 1 && (
        <IconButton icon="close" label={t('maintenance.removeTime')} onClick={onRemove} />
      )}
    </div>
  )
}
