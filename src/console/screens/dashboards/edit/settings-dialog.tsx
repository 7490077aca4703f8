import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../../api/resource.ts'
import { Button, Check, IconButton, TextField } from '../../../kit/controls.tsx'
import { FormDialog } from '../../../kit/overlays.tsx'
import { spanText } from '../../../kit/time.tsx'
import { WordField } from '../../../kit/word-field.tsx'
import { t } from '../../../language/t.ts'
import type { Page, Parameter } from '../dashboard.ts'
import { defaultsOf, textOfDefaults } from '../defaults.ts'
import { GroupField } from '../list-dialogs.tsx'
import type { BoardDraft } from './draft.ts'

const RANGES = ['-PT1H', '-PT6H', '-P1D', '-P7D', '-P30D']
const REFRESHES = ['PT5S', 'PT30S', 'PT1M', 'PT5M', 'PT1H']
const TYPES = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'duration',
  'enum',
  'query',
  'object',
] as const

/** The name, the address, the group, the range of time, the pages and the parameters of a dashboard. */
export function SettingsDialog({
  draft,
  onChange,
  onClose,
}: {
  readonly draft: BoardDraft
  readonly onChange: (part: Partial<BoardDraft>) => void
  readonly onClose: () => void
}): JSX.Element {
  const [own, setOwn] = useState(draft)
  const groups = useGet('/dashboards/groups', {}).data?.items ?? []
  const { definition } = own
  const change = (part: Partial<BoardDraft>): void => setOwn({ ...own, ...part })
  const define = (part: Partial<BoardDraft['definition']>): void =>
    change({ definition: { ...definition, ...part } })
  return (
    <FormDialog
      title={t('boards.settingsOf', { name: draft.name })}
      submit={t('boards.apply')}
      wide
      refused={own.name.trim() === '' ? t('boards.nameFirst') : undefined}
      onSubmit={async () => onChange(own)}
      onClose={onClose}
    >
      {() => (
        <>
          <TextField label={t('data.name')} value={own.name} onValue={(name) => change({ name })} autofocus />
          <TextField
            label={t('boards.urlName')}
            value={own.urlName}
            hint={t('boards.urlNameHint')}
            onValue={(urlName) => change({ urlName })}
          />
          <TextField
            label={t('data.description')}
            value={own.description}
            onValue={(description) => change({ description })}
          />
          <GroupField groups={groups} value={own.groupId} onValue={(groupId) => change({ groupId })} />
          <WordField
            label={t('boards.range')}
            value={definition.timeRange.from}
            textOf={spanText}
            words={RANGES}
            onValue={(from) => define({ timeRange: { ...definition.timeRange, from } })}
          />
          <WordField
            label={t('boards.refresh')}
            value={definition.refresh}
            textOf={spanText}
            words={REFRESHES}
            onValue={(refresh) => define({ refresh })}
          />
          <PageRows pages={definition.pages} onPages={(pages) => define({ pages: [...pages] })} />
          <ParameterRows
            parameters={definition.parameters}
            onParameters={(parameters) => define({ parameters: [...parameters] })}
          />
        </>
      )}
    </FormDialog>
  )
}

function PageRows({
  pages,
  onPages,
}: {
  readonly pages: readonly Page[]
  readonly onPages: (pages: readonly Page[]) => void
}): JSX.Element {
  const add = (): void => {
    let at = pages.length + 1
    while (pages.some(({ id }) => id === `page${at}`)) at += 1
    onPages([...pages, { id: `page${at}`, title: '', items: [], small: [] }])
  }
  return (
    <fieldset class="col">
      <legend>{t('boards.pages')}</legend>
      {pages.map((page, at) => (
        <div key={page.id} class="row">
          <TextField
            label={t('boards.pageTitle', { number: at + 1 })}
            value={page.title}
            onValue={(title) => onPages(pages.map((one) => (one === page ? { ...one, title } : one)))}
          />
          {pages.length > 1 && (
            <IconButton
              icon="close"
              label={t('boards.removePage', { number: at + 1 })}
              refused={page.items.length > 0 ? t('boards.pageNotEmpty') : undefined}
              onClick={() => onPages(pages.filter((one) => one !== page))}
            />
          )}
        </div>
      ))}
      <span>
        <Button small icon="plus" onClick={add}>
          {t('boards.addPage')}
        </Button>
      </span>
    </fieldset>
  )
}

const NEW: Parameter = {
  name: '',
  label: '',
  type: 'string',
  multi: false,
  required: false,
  hidden: false,
  default: null,
  values: [],
  valuesQueryId: null,
}

function ParameterRows({
  parameters,
  onParameters,
}: {
  readonly parameters: readonly Parameter[]
  readonly onParameters: (parameters: readonly Parameter[]) => void
}): JSX.Element {
  const put = (at: number, part: Partial<Parameter>): void =>
    onParameters(parameters.map((one, place) => (place === at ? { ...one, ...part } : one)))
  return (
    <fieldset class="col">
      <legend>{t('boards.parameters')}</legend>
      {parameters.map((parameter, at) => (
        <ParameterRow
          key={at}
          parameter={parameter}
          number={at + 1}
          onChange={(part) => put(at, part)}
          onRemove={() => onParameters(parameters.filter((_, place) => place !== at))}
        />
      ))}
      <span>
        <Button
          small
          icon="plus"
          onClick={() => onParameters([...parameters, { ...NEW, name: `parameter${parameters.length + 1}` }])}
        >
          {t('boards.addParameter')}
        </Button>
      </span>
    </fieldset>
  )
}

function ParameterRow({
  parameter,
  number,
  onChange,
  onRemove,
}: {
  readonly parameter: Parameter
  readonly number: number
  readonly onChange: (part: Partial<Parameter>) => void
  readonly onRemove: () => void
}): JSX.Element {
  const [initial, setInitial] = useState(textOfDefaults({ v: parameter.default }).slice(2))
  const [choices, setChoices] = useState(parameter.values.map(({ value }) => value).join(', '))
  const putChoices = (text: string): void => {
    setChoices(text)
    const values = text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
    onChange({
      values: values.map(
        (one) => parameter.values.find(({ value }) => String(value) === one) ?? choiceOf(one),
      ),
    })
  }
  return (
    <fieldset class="series-fields">
      <legend>{t('boards.parameterNumber', { number })}</legend>
      <TextField label={t('data.name')} value={parameter.name} onValue={(name) => onChange({ name })} />
      <TextField label={t('boards.label')} value={parameter.label} onValue={(label) => onChange({ label })} />
      <WordField
        label={t('boards.type')}
        textOf={(word) => t(`boards.type.${word}`)}
        words={TYPES}
        value={parameter.type as (typeof TYPES)[number]}
        onValue={(type) => onChange({ type, ...(type !== 'enum' && { values: [] }) })}
      />
      {parameter.type === 'enum' && (
        <TextField
          label={t('boards.choices')}
          value={choices}
          hint={t('boards.namesHint')}
          onValue={putChoices}
        />
      )}
      <TextField
        label={t('boards.initial')}
        value={initial}
        onValue={(text) => {
          setInitial(text)
          const value = text === '' ? null : (defaultsOf(`v=${text}`)?.['v'] ?? null)
          onChange({
            default: TEXT_TYPES.has(parameter.type) && value !== null ? text : value,
          })
        }}
      />
      <Check label={t('boards.multi')} checked={parameter.multi} onChange={(multi) => onChange({ multi })} />
      <Check
        label={t('boards.hidden')}
        checked={parameter.hidden}
        onChange={(hidden) => onChange({ hidden })}
      />
      <Button small icon="close" onClick={onRemove}>
        {t('boards.removeParameter', { number })}
      </Button>
    </fieldset>
  )
}

/** Types whose values are texts, also those that look like numbers. */
const TEXT_TYPES: ReadonlySet<Parameter['type']> = new Set(['string', 'enum', 'date', 'datetime', 'duration'])

const choiceOf = (value: string): Parameter['values'][number] => ({ value, label: '' })
