import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Check, Field, IconButton, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { FRESH_PARAMETER, PARAMETER_TYPES } from './query.ts'
import type { ParameterDraft, QueryDraft } from './query.ts'

type Props = {
  readonly draft: QueryDraft
  readonly change: (part: Partial<QueryDraft>) => void
  /** The values of the next run; a parameter without one has its default. */
  readonly texts: Readonly<Record<string, string>>
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void
  readonly failure: Failure | null
}

/** The parameters as a form for the next run; each can be changed and removed. */
export function ParametersCard({ draft, change, texts, onTexts, failure }: Props): JSX.Element {
  const [edited, edit] = useState<number | null>(null)
  const { parameters } = draft
  const store = (at: number, parameter: ParameterDraft): void =>
    change({ parameters: parameters.toSpliced(at, 1, parameter) })
  return (
    <Card
      title={t('queries.parameters')}
      actions={
        <IconButton
          small
          icon="plus"
          label={t('queries.addParameter')}
          onClick={() => edit(parameters.length)}
        />
      }
    >
      <div class="pad col spread">
        {parameters.length === 0 && <p class="quiet">{t('queries.noParameters')}</p>}
        {parameters.map((parameter, at) => (
          <div key={at} class="form-row">
            <ValueField
              parameter={parameter}
              text={texts[parameter.name] ?? ''}
              onText={(text) => onTexts({ ...texts, [parameter.name]: text })}
              error={failure?.at(`/values/${parameter.name}`) ?? failure?.at(`/parameters/${parameter.name}`)}
            />
            <IconButton
              small
              icon="edit"
              label={t('data.editName', { name: parameter.name })}
              onClick={() => edit(at)}
            />
            <IconButton
              small
              icon="close"
              label={t('data.deleteName', { name: parameter.name })}
              onClick={() => change({ parameters: parameters.toSpliced(at, 1) })}
            />
          </div>
        ))}
      </div>
      {edited !== null && (
        <ParameterDialog
          parameter={parameters[edited] ?? null}
          onSave={(parameter) => store(edited, parameter)}
          onClose={() => edit(null)}
        />
      )}
    </Card>
  )
}

function ValueField({
  parameter,
  text,
  onText,
  error,
}: {
  readonly parameter: ParameterDraft
  readonly text: string
  readonly onText: (text: string) => void
  readonly error: string | undefined
}): JSX.Element {
  const { name, type, multi, choices } = parameter
  const hint =
    parameter.default === ''
      ? t(parameter.required ? 'queries.required' : 'queries.optional')
      : t('queries.default', { value: parameter.default.split('\n').join(', ') })
  const common = { label: name, hint, error }
  if (multi)
    return (
      <Field {...common}>
        {(attributes) => (
          <textarea
            class="input"
            rows={2}
            value={text}
            onInput={(event) => onText(event.currentTarget.value)}
            {...attributes}
          />
        )}
      </Field>
    )
  const values = type === 'boolean' ? ['true', 'false'] : choices.split('\n').filter((one) => one !== '')
  if (type === 'boolean' || type === 'enum')
    return (
      <SelectField
        {...common}
        value={text}
        onValue={onText}
        options={[{ value: '', text: '–' }, ...values.map((value) => ({ value, text: value }))]}
      />
    )
  return <TextField {...common} type={type === 'date' ? 'date' : 'text'} value={text} onValue={onText} />
}

function ParameterDialog({
  parameter,
  onSave,
  onClose,
}: {
  readonly parameter: ParameterDraft | null
  readonly onSave: (parameter: ParameterDraft) => void
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(parameter ?? FRESH_PARAMETER)
  const queries = useGet('/dataQueries', draft.type === 'query' ? {} : null)
  const published = (queries.data?.items ?? []).filter((one) => one.published > 0)
  const change = (part: Partial<ParameterDraft>): void => setDraft({ ...draft, ...part })
  const lacksChoices =
    (draft.type === 'enum' && draft.choices.trim() === '') ||
    (draft.type === 'query' && draft.valuesQueryId === null)
  const refused = !/^[A-Za-z_]\w*$/.test(draft.name) || lacksChoices ? t('queries.parameterWhole') : undefined
  return (
    <FormDialog
      title={parameter ? t('data.editName', { name: parameter.name }) : t('queries.addParameter')}
      submit={t('data.apply')}
      refused={refused}
      onSubmit={async () => onSave(draft)}
      onClose={onClose}
    >
      {() => (
        <>
          <TextField
            label={t('data.name')}
            hint={t('queries.parameterName')}
            value={draft.name}
            onValue={(name) => change({ name })}
            autofocus
          />
          <SelectField
            label={t('data.type')}
            value={draft.type}
            onValue={(type) => change({ type })}
            options={PARAMETER_TYPES.map((value) => ({ value, text: t(`queries.type.${value}`) }))}
          />
          {draft.type === 'enum' && (
            <Field label={t('queries.choices')} hint={t('queries.onePerLine')}>
              {(attributes) => (
                <textarea
                  class="input"
                  rows={4}
                  value={draft.choices}
                  onInput={(event) => change({ choices: event.currentTarget.value })}
                  {...attributes}
                />
              )}
            </Field>
          )}
          {draft.type === 'query' && (
            <SelectField
              label={t('queries.valuesQuery')}
              hint={t('queries.valuesQueryHint')}
              value={draft.valuesQueryId === null ? '' : String(draft.valuesQueryId)}
              onValue={(value) => change({ valuesQueryId: value === '' ? null : Number(value) })}
              options={itemOptions(published, t('data.choose'))}
            />
          )}
          <TextField
            label={t('queries.defaultValue')}
            value={draft.default}
            onValue={(text) => change({ default: text })}
          />
          <Check label={t('queries.multi')} checked={draft.multi} onChange={(multi) => change({ multi })} />
          <Check
            label={t('queries.isRequired')}
            checked={draft.required}
            onChange={(required) => change({ required })}
          />
        </>
      )}
    </FormDialog>
  )
}
