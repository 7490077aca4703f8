import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Button, IconButton, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { FormatFields, ValueFields } from './import-format.tsx'
import { IMPORT_TYPES } from './import-plan.ts'
import { FRESH_COLUMN, formatIn } from './script-origin.ts'
import type { ScriptDraft, ScriptOrigin } from './script-origin.ts'

type Props = {
  readonly draft: ScriptDraft
  readonly stored: ScriptOrigin | null
  readonly failure: Failure | null
  readonly change: (part: Partial<ScriptDraft>) => void
}

/** The script, the file that its runs leave, and how the file is read. */
export function ScriptOriginFields(props: Props): JSX.Element {
  const { draft, stored, failure, change } = props
  const scripts = useGet('/scripts', {}).data ?? []
  const script = draft.scriptId
  const configurations =
    useGet('/scripts/{script}/runConfigurations', script === '' ? null : { path: { script } }).data ?? []
  const format = formatIn(draft, stored)
  const changeFormat = (part: Partial<typeof format>): void => change({ format: { ...format, ...part } })
  return (
    <>
      <div class="form-grid">
        <SelectField
          label={t('data.refresh.script')}
          value={script}
          options={itemOptions(scripts, t('data.choose'))}
          onValue={(scriptId) => change({ scriptId, runConfigurationId: '' })}
          error={failure?.at('/from/scriptId')}
        />
        <SelectField
          label={t('data.refresh.runConfiguration')}
          value={draft.runConfigurationId}
          options={itemOptions(configurations, t('data.refresh.defaultConfiguration'))}
          onValue={(runConfigurationId) => change({ runConfigurationId })}
          error={failure?.at('/from/runConfigurationId')}
        />
        <TextField
          label={t('data.refresh.output')}
          hint={t('data.refresh.outputHint')}
          value={draft.output}
          onValue={(output) => change({ output })}
          error={failure?.at('/from/output')}
          placeholder="orders.csv"
        />
      </div>
      <ColumnRows {...props} />
      <details class="part">
        <summary>{t('data.refresh.format')}</summary>
        <div class="form-grid">
          <FormatFields format={format} change={changeFormat} />
        </div>
        <ValueFields format={format} change={changeFormat} />
      </details>
    </>
  )
}

/** The columns of the table: their names, their names in the file, and their types. */
function ColumnRows({ draft: { columns }, failure, change }: Props): JSX.Element {
  const put = (at: number, part: Partial<(typeof columns)[number]>): void =>
    change({ columns: columns.map((column, place) => (place === at ? { ...column, ...part } : column)) })
  return (
    <fieldset class="col">
      <legend>{t('data.columns')}</legend>
      {columns.map((column, at) => (
        <div key={at} class="form-row">
          <TextField
            label={t('data.columnNumber', { number: at + 1 })}
            value={column.name}
            onValue={(name) => put(at, { name })}
            error={failure?.at(`/from/columns/${at}/name`)}
          />
          <TextField
            label={t('data.refresh.sourceNumber', { number: at + 1 })}
            value={column.source}
            onValue={(source) => put(at, { source })}
            error={failure?.at(`/from/columns/${at}/source`)}
            placeholder={column.name}
          />
          <SelectField
            label={t('data.typeNumber', { number: at + 1 })}
            value={column.type}
            onValue={(type) => put(at, { type })}
            options={IMPORT_TYPES.map((value) => ({ value, text: t(`data.columnType.${value}`) }))}
          />
          <IconButton
            small
            icon="close"
            label={t('data.removeColumn', { number: at + 1 })}
            onClick={() => change({ columns: columns.filter((_, place) => place !== at) })}
          />
        </div>
      ))}
      <div>
        <Button small icon="plus" onClick={() => change({ columns: [...columns, FRESH_COLUMN] })}>
          {t('data.addColumn')}
        </Button>
      </div>
    </fieldset>
  )
}
