import type { JSX } from 'preact'

import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { numberText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import { FILE_KINDS, hasHeaderFields, isWorkbook } from './import-plan.ts'
import type { Format } from './import-plan.ts'
import type { FileImport } from './use-file-import.ts'

const DELIMITERS = ['auto', ',', ';', '\t', '|'] as const
const ENCODINGS = ['utf-8', 'latin-1', 'utf-16le'] as const
const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
}

type Change = (part: Partial<Format>) => void

/** How the file is read. Each change reads it again. */
export function FormatCard({ plan }: { readonly plan: FileImport }): JSX.Element {
  const { format, preview, changeFormat } = plan
  return (
    <Card
      title={t('data.format')}
      note={preview && t('data.say.records', { count: preview.records, columns: preview.columns.length })}
    >
      <div class="pad col spread">
        <div class="form-grid">
          <KindFields format={format} change={changeFormat} found={preview?.delimiter ?? null} />
          {isWorkbook(format.kind) && preview && preview.sheets.length > 0 && (
            <SelectField
              label={t('data.sheet')}
              value={preview.sheet ?? ''}
              onValue={(sheet) => changeFormat({ sheet })}
              options={preview.sheets.map((value) => ({ value, text: value }))}
            />
          )}
          {hasHeaderFields(format.kind) && <HeaderFields format={format} change={changeFormat} />}
        </div>
        <details class="part">
          <summary>{t('data.values')}</summary>
          <ValueFields format={format} change={changeFormat} />
        </details>
      </div>
    </Card>
  )
}

type FieldsProps = { readonly format: Format; readonly change: Change }

/** How a file is read that is not here yet. */
export function FormatFields(props: FieldsProps): JSX.Element {
  const { format, change } = props
  return (
    <>
      <KindFields {...props} found={null} />
      {isWorkbook(format.kind) && (
        <TextField label={t('data.sheet')} value={format.sheet} onValue={(sheet) => change({ sheet })} />
      )}
      {hasHeaderFields(format.kind) && <HeaderFields {...props} />}
    </>
  )
}

function KindFields({ format, change, found }: FieldsProps & { readonly found: string | null }): JSX.Element {
  return (
    <>
      <SelectField
        label={t('data.fileKind')}
        value={format.kind}
        onValue={(kind) => change({ kind })}
        options={FILE_KINDS.map((value) => ({ value, text: t(`data.fileKind.${value}`) }))}
      />
      {format.kind === 'csv' && <CsvFields format={format} change={change} found={found} />}
    </>
  )
}

function CsvFields({ format, change, found }: FieldsProps & { readonly found: string | null }): JSX.Element {
  return (
    <>
      <SelectField
        label={t('data.delimiter')}
        hint={
          format.delimiter === 'auto' && found !== null && t('data.delimiterFound', { name: nameOf(found) })
        }
        value={format.delimiter}
        onValue={(delimiter) => change({ delimiter })}
        options={DELIMITERS.map((value) => ({
          value: value as string,
          text: value === 'auto' ? t('data.delimiterAuto') : nameOf(value),
        }))}
      />
      <SelectField
        label={t('data.encoding')}
        value={format.encoding}
        onValue={(encoding) => change({ encoding })}
        options={ENCODINGS.map((value) => ({ value, text: value.toUpperCase() }))}
      />
    </>
  )
}

function HeaderFields({ format, change }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={t('data.skipRecords')}
        inputMode="numeric"
        value={format.skipRecords}
        onValue={(skipRecords) => change({ skipRecords })}
      />
      <Check
        label={t('data.hasHeader')}
        checked={format.hasHeader}
        onChange={(hasHeader) => change({ hasHeader })}
      />
    </>
  )
}

function nameOf(delimiter: string): string {
  const name = DELIMITER_NAMES[delimiter]
  return name === undefined ? delimiter : t(`data.delimiter.${name}`)
}

export function ValueFields({ format, change }: FieldsProps): JSX.Element {
  return (
    <div class="form-grid">
      <SelectField
        label={t('data.decimal')}
        value={format.decimal}
        onValue={(decimal) => change({ decimal })}
        options={(['.', ','] as const).map((value) => ({
          value,
          text: t(value === '.' ? 'data.decimal.point' : 'data.decimal.comma', {
            number: `${numberText(1)}${value}5`,
          }),
        }))}
      />
      <TextField
        label={t('data.nulls')}
        hint={t('data.nullsHint')}
        value={format.nulls}
        onValue={(nulls) => change({ nulls })}
        placeholder="NA, -"
      />
      <TextField
        label={t('data.dateFormat')}
        hint={t('data.dateFormatHint')}
        value={format.dateFormat}
        onValue={(dateFormat) => change({ dateFormat })}
        placeholder="dd.MM.yyyy"
      />
      <TextField
        label={t('data.timeZone')}
        hint={t('data.timeZoneHint')}
        value={format.timeZone}
        onValue={(timeZone) => change({ timeZone })}
      />
    </div>
  )
}
