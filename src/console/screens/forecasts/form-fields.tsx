import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Check, Field, Segments, SelectField, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { durationText, msOfDuration } from '../../kit/time.tsx'
import { WordField } from '../../kit/word-field.tsx'
import { t } from '../../language/t.ts'
import { axesOf } from '../data/charted.ts'
import { ColumnField } from '../data/column-fields.tsx'
import { useQueryColumns } from '../data/use-query-columns.ts'
import { JobValueField } from '../objects/job/job-value-field.tsx'
import { canHaveHolidays, canSearch } from './draft.ts'
import type { Draft } from './draft.ts'

type Props = {
  readonly draft: Draft
  /** Whether the source is a table, which is not changed here. */
  readonly hasTable: boolean
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}

const STEPS = ['PT5M', 'PT15M', 'PT1H', 'PT6H', 'P1D', 'P7D', 'P1M']
const HORIZONS = ['PT6H', 'P1D', 'P2D', 'P7D', 'P30D', 'P90D']
const SCHEDULES = ['', '10 * * * *', '0 4 * * *', '0 4 * * 1']
const SOURCES = ['job', 'dataQuery'] as const
const KINDS = ['auto', 'linear_regression', 'sarimax', 'xgboost', 'prophet', 'naive']

/** The source of a forecast, and the settings of its computation. */
export function FormFields(props: Props): JSX.Element {
  const { draft, hasTable, failure, onChange } = props
  return (
    <div class="col">
      <TextField
        label={t('forecasts.name')}
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={failure?.at('/name')}
      />
      {hasTable ? <Note>{t('forecasts.ofTable')}</Note> : <SourceFields {...props} />}
      <WordField
        label={t('forecasts.step')}
        value={draft.step}
        words={STEPS}
        textOf={spanText}
        onValue={(step) => onChange({ step })}
      />
      <WordField
        label={t('forecasts.horizon')}
        value={draft.horizon}
        words={HORIZONS}
        textOf={spanText}
        onValue={(horizon) => onChange({ horizon })}
      />
      <KindField draft={draft} onChange={onChange} />
      {canSearch(draft.kind) && (
        <div class="field">
          <Check
            label={t('forecasts.search')}
            checked={draft.search}
            onChange={(search) => onChange({ search })}
          />
          <span class="hint">{t('forecasts.searchHint')}</span>
        </div>
      )}
      {canHaveHolidays(draft.step) && <HolidayFields {...props} />}
      <WordField
        label={t('forecasts.schedule')}
        value={draft.cron}
        words={SCHEDULES}
        textOf={(cron) => {
          const at = SCHEDULES.indexOf(cron)
          return at < 0 ? cron : t(`forecasts.schedule.${at}`)
        }}
        onValue={(cron) => onChange({ cron })}
      />
    </div>
  )
}

function SourceFields({ draft, failure, onChange }: Props): JSX.Element {
  const [found, setFound] = useState<Found | null>(null)
  const known = useGet('/jobs/{id}', draft.jobId === null || found ? null : { path: { id: draft.jobId } })
  const shown = found ?? (known.data ? { ...known.data, type: 'job' as const, path: known.data.name } : null)
  const isOfRows = draft.type === 'dataQuery'
  const queries = useGet('/dataQueries', isOfRows ? {} : null).data?.items ?? []
  const columns = useQueryColumns(isOfRows && draft.queryId !== '' ? Number(draft.queryId) : null)
  useEffect(() => {
    const axes = axesOf(columns ?? [])
    if (axes === null || draft.timeColumn !== '' || draft.valueColumn !== '') return
    onChange({ timeColumn: axes.x, valueColumn: axes.y[0] ?? '' })
  }, [columns])
  return (
    <>
      <Segments
        label={t('forecasts.source')}
        value={draft.type}
        options={SOURCES.map((value) => ({ value, text: t(`forecasts.source.${value}`) }))}
        onChange={(type) => onChange({ type })}
      />
      {draft.type === 'job' ? (
        <>
          <ObjectPicker
            key={shown?.id ?? 0}
            label={t('forecasts.source.job')}
            type="job"
            value={shown}
            onChange={(object) => {
              setFound(object)
              onChange({ jobId: object.id, ...(draft.name === '' && { name: object.name }) })
            }}
            error={failure?.at('/source/jobId')}
          />
          <JobValueField
            label={t('forecasts.key')}
            jobId={draft.jobId}
            value={draft.key}
            numbersOnly
            onValue={(key) => onChange({ key })}
            error={failure?.at('/source/key')}
          />
        </>
      ) : (
        <>
          <SelectField
            label={t('forecasts.source.dataQuery')}
            value={draft.queryId}
            options={[
              { value: '', text: t('forecasts.choose') },
              ...queries
                .filter(({ published }) => published > 0)
                .map(({ id, name }) => ({ value: String(id), text: name })),
            ]}
            onValue={(queryId) => onChange({ queryId })}
            error={failure?.at('/source/dataQueryId')}
          />
          <ColumnField
            label={t('forecasts.timeColumn')}
            columns={columns}
            value={draft.timeColumn}
            onValue={(timeColumn) => onChange({ timeColumn })}
            error={failure?.at('/source/timeColumn')}
          />
          <ColumnField
            label={t('forecasts.valueColumn')}
            columns={columns}
            value={draft.valueColumn}
            onValue={(valueColumn) => onChange({ valueColumn })}
            error={failure?.at('/source/valueColumn')}
          />
        </>
      )}
    </>
  )
}

/** The holidays of a country, and own days. */
function HolidayFields({ draft, failure, onChange }: Props): JSX.Element {
  const days = failure?.errors.find(({ pointer }) => pointer.startsWith('/holidays/days'))
  return (
    <>
      <TextField
        label={t('forecasts.country')}
        hint={t('forecasts.countryHint')}
        value={draft.country}
        maxLength={6}
        spellcheck={false}
        onValue={(country) => onChange({ country })}
        error={failure?.at('/holidays/country')}
      />
      <Field
        label={t('forecasts.days')}
        hint={t('forecasts.daysHint')}
        error={days && failure?.at(days.pointer)}
      >
        {(attributes) => (
          <textarea
            class="input"
            rows={3}
            value={draft.days}
            onInput={(event) => onChange({ days: event.currentTarget.value })}
            {...attributes}
          />
        )}
      </Field>
    </>
  )
}

/** The kind of the model; those that no runner executes now are named. */
function KindField({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>): JSX.Element {
  const kinds = useGet('/forecasts/kinds', {}).data ?? []
  const names = [...new Set([...KINDS, ...kinds.map(({ kind }) => kind), draft.kind])]
  const hasRunner = (kind: string): boolean => kinds.find((one) => one.kind === kind)?.runners.length !== 0
  return (
    <SelectField
      label={t('forecasts.model')}
      value={draft.kind}
      hint={kinds.length > 0 && !hasRunner(draft.kind) ? t('forecasts.noRunner') : undefined}
      options={names.map((kind) => ({
        value: kind,
        text: KINDS.includes(kind) ? t(`forecasts.kind.${kind}`) : kind,
      }))}
      onValue={(kind) => onChange({ kind })}
    />
  )
}

function spanText(text: string): string {
  const ms = msOfDuration(text)
  if (text === 'P1M') return t('forecasts.month')
  return ms === null ? text : durationText(ms)
}
