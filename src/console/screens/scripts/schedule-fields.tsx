import type { JSX } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Check, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { cronWords } from './cron-words.ts'
import { NextTimes } from './next-times.tsx'
import type { Schedule } from './script.ts'

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]
const MISFIRES = ['skip', 'run_once'] as const
const SETTLE_MS = 300

/** A schedule while it is edited. */
export type Draft = Pick<
  Schedule,
  'name' | 'enabled' | 'cron' | 'timeZone' | 'misfire' | 'runConfigurationId'
>

/** A schedule as a draft. */
export function draftOf({ name, enabled, cron, timeZone, misfire, runConfigurationId }: Schedule): Draft {
  return { name, enabled, cron, timeZone, misfire, runConfigurationId }
}

type Props = {
  readonly script: string
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}

/** The fields of a schedule, with its expression in words and its next times. */
export function ScheduleFields({ script, draft, failure, onChange }: Props): JSX.Element {
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script } }).data ?? []
  return (
    <div class="col">
      <TextField
        label={t('scripts.name')}
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={failure?.at('/name')}
      />
      <Check
        label={t('scripts.enabled')}
        checked={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      <TimeFields script={script} draft={draft} failure={failure} onChange={onChange} />
      <div class="two-up">
        <SelectField
          label={t('scripts.configuration')}
          value={String(draft.runConfigurationId ?? '')}
          onValue={(value) => onChange({ runConfigurationId: value === '' ? null : Number(value) })}
          error={failure?.at('/runConfigurationId')}
          options={itemOptions(configurations, t('scripts.defaultConfiguration'))}
        />
        <SelectField
          label={t('scripts.misfire')}
          value={draft.misfire}
          onValue={(misfire) => onChange({ misfire })}
          options={MISFIRES.map((value) => ({ value, text: t(`scripts.misfire.${value}`) }))}
        />
      </div>
    </div>
  )
}

/** The expression and its time zone, with the next times of both. */
function TimeFields({ script, draft, failure, onChange }: Props): JSX.Element {
  const zones = useId()
  const settled = useSettled(`${draft.cron}\n${draft.timeZone}`)
  const [cron = '', timeZone = ''] = settled.split('\n')
  const isReady = cron.trim() !== '' && isZone(timeZone)
  const next = useGet(
    '/scripts/{script}/scheduleConfigurations/next',
    isReady ? { path: { script }, query: { cron, timeZone } } : null,
  )
  const refused = next.failure?.errors.find(({ pointer }) => pointer === '?cron')?.message
  const words = cronWords(draft.cron)
  return (
    <>
      <div class="two-up">
        <TextField
          label={t('scripts.cron')}
          hint={words === null ? t('scripts.cronHint') : t('scripts.cronRuns', { words })}
          value={draft.cron}
          onValue={(value) => onChange({ cron: value })}
          error={failure?.at('/cron') ?? refused}
          spellcheck={false}
        />
        <TextField
          label={t('scripts.timeZone')}
          value={draft.timeZone}
          onValue={(value) => onChange({ timeZone: value })}
          error={failure?.at('/timeZone') ?? (isZone(draft.timeZone) ? undefined : t('scripts.noZone'))}
          list={zones}
          spellcheck={false}
        />
        <datalist id={zones}>
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      {isReady && next.data && refused === undefined && (
        <section class="col">
          <h3>{t('scripts.nextTimes')}</h3>
          <NextTimes times={next.data.nextRuns} zone={timeZone} />
          <p class="label">{t('scripts.clockChanges')}</p>
        </section>
      )}
    </>
  )
}

/** Whether the browser knows a time zone, also by an older name. */
function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The value as it was when it last stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
