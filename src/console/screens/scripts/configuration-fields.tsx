import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Button, Check, Field, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { objectLink } from '../../kit/location.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import { t } from '../../language/t.ts'
import type { Draft } from './configuration.ts'
import { VariableRows } from './variable-rows.tsx'

const CONCURRENCIES = ['queue', 'skip', 'cancel_previous'] as const
const KINDS = ['standard', 'database', 'filesystem'] as const

type Props = {
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}

/** The fields of a run configuration. */
export function ConfigurationFields({ draft, failure, onChange }: Props): JSX.Element {
  return (
    <div class="col">
      <div class="two-up">
        <TextField
          label={t('scripts.name')}
          value={draft.name}
          onValue={(name) => onChange({ name })}
          error={failure?.at('/name')}
        />
        <TextField
          label={t('scripts.timeout')}
          hint={t('scripts.timeoutHint')}
          unit={t('scripts.seconds')}
          inputMode="numeric"
          value={draft.timeout}
          onValue={(timeout) => onChange({ timeout })}
          error={failure?.at('/timeout')}
        />
      </div>
      <Check
        label={t('scripts.makeDefault')}
        checked={draft.isDefault}
        onChange={(isDefault) => onChange({ isDefault })}
      />
      {failure?.at('/isDefault') && <span class="err">{failure.at('/isDefault')}</span>}
      <Lines
        label={t('scripts.arguments')}
        hint={t('scripts.lineHint')}
        value={draft.arguments}
        onValue={(value) => onChange({ arguments: value })}
        error={failure?.at('/arguments')}
      />
      <VariableRows
        rows={draft.variables}
        failure={failure}
        onChange={(variables) => onChange({ variables })}
      />
      <div class="two-up">
        <SelectField
          label={t('scripts.concurrency')}
          value={draft.concurrency}
          onValue={(concurrency) => onChange({ concurrency })}
          options={CONCURRENCIES.map((value) => ({ value, text: t(`scripts.concurrency.${value}`) }))}
        />
        <TextField
          label={t('scripts.retries')}
          hint={t('scripts.retriesHint')}
          inputMode="numeric"
          value={draft.retries}
          onValue={(retries) => onChange({ retries })}
          error={failure?.at('/retries')}
        />
      </div>
      <ReportTo jobId={draft.reportTo} failure={failure} onChange={(reportTo) => onChange({ reportTo })} />
      <KindFields draft={draft} failure={failure} onChange={onChange} />
      <div class="two-up">
        <Lines
          label={t('scripts.labels')}
          hint={t('scripts.labelsHint')}
          value={draft.runnerLabels}
          onValue={(runnerLabels) => onChange({ runnerLabels })}
          error={firstAt(failure, '/runnerLabels')}
        />
        <Lines
          label={t('scripts.network')}
          hint={t('scripts.networkHint')}
          value={draft.network}
          onValue={(network) => onChange({ network })}
          error={firstAt(failure, '/network')}
        />
      </div>
    </div>
  )
}

/** The first refusal of a list or of one of its items. */
function firstAt(failure: Failure | null, pointer: string): string | undefined {
  const hit = failure?.errors.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
  return hit && failure?.at(hit.pointer)
}

type LinesProps = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly error: string | undefined
}

function Lines({ label, hint, value, onValue, error }: LinesProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <textarea
          class="input mono"
          rows={3}
          spellcheck={false}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  )
}

function ReportTo({
  jobId,
  failure,
  onChange,
}: {
  readonly jobId: number | null
  readonly failure: Failure | null
  readonly onChange: (jobId: number | null) => void
}): JSX.Element {
  const { data: job } = useGet('/jobs/{id}', jobId === null ? null : { path: { id: jobId } })
  if (jobId === null)
    return (
      <ObjectPicker
        label={t('scripts.report')}
        type="job"
        value={null}
        onChange={({ id }) => onChange(id)}
        error={failure?.at('/reportTo/jobId')}
      />
    )
  return (
    <div class="field">
      <span class="label">{t('scripts.report')}</span>
      <span class="row wrap">
        <a href={objectLink('job', jobId)}>{job?.name ?? t('scripts.reportJob', { id: String(jobId) })}</a>
        <Button small onClick={() => onChange(null)}>
          {t('scripts.reportNone')}
        </Button>
      </span>
      {failure?.at('/reportTo/jobId') && <span class="err">{failure.at('/reportTo/jobId')}</span>}
    </div>
  )
}

function KindFields({ draft, failure, onChange }: Props): JSX.Element {
  const sources = useGet('/dataSources', draft.kind === 'database' ? {} : null).data?.items ?? []
  return (
    <>
      <SelectField
        label={t('scripts.kind')}
        value={draft.kind}
        onValue={(kind) => onChange({ kind })}
        options={KINDS.map((value) => ({ value, text: t(`scripts.kind.${value}`) }))}
      />
      {draft.kind === 'database' && (
        <div class="two-up">
          <SelectField
            label={t('scripts.source')}
            value={draft.dataSourceId}
            onValue={(dataSourceId) => onChange({ dataSourceId })}
            error={failure?.at('/database/dataSourceId')}
            options={itemOptions(sources, t('scripts.chooseSource'))}
          />
          <SelectField
            label={t('scripts.access')}
            value={draft.access}
            onValue={(access) => onChange({ access })}
            error={failure?.at('/database/access')}
            options={(['read', 'write'] as const).map((value) => ({
              value,
              text: t(`scripts.access.${value}`),
            }))}
          />
        </div>
      )}
      {draft.kind === 'filesystem' && (
        <Lines
          label={t('scripts.paths')}
          hint={t('scripts.pathsHint')}
          value={draft.paths}
          onValue={(paths) => onChange({ paths })}
          error={firstAt(failure, '/filesystem/paths')}
        />
      )}
    </>
  )
}
