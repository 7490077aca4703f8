import type { Answer } from '../../api/client.ts'
import { t } from '../../language/t.ts'
import { formatBody, formatOf } from './import-plan.ts'
import type { Format, ImportType } from './import-plan.ts'

type From = Answer<'/dataSources/{id}/tables/{table}/refresh'>['from']
/** The file that runs of a script leave. */
export type ScriptOrigin = Extract<From, { readonly kind: 'script' }>

type ScriptColumn = {
  readonly name: string
  /** The name in the file; empty for the same. */
  readonly source: string
  readonly type: ImportType
}

/** The origin of a table in a script, as texts of a form. */
export type ScriptDraft = {
  /** Empty while none is chosen. */
  readonly scriptId: string
  /** Empty for the default one. */
  readonly runConfigurationId: string
  readonly output: string
  readonly columns: readonly ScriptColumn[]
  /** How the file is read. Null: as it is stored, or as the name of the file says. */
  readonly format: Format | null
}

export const FRESH_COLUMN: ScriptColumn = { name: '', source: '', type: 'string' }

export function scriptDraftOf(from: ScriptOrigin | null): ScriptDraft {
  return {
    scriptId: from === null ? '' : String(from.scriptId),
    runConfigurationId: from?.runConfigurationId ? String(from.runConfigurationId) : '',
    output: from?.output ?? '',
    columns: from?.columns.map(({ source, name, type }) => ({
      name,
      source: source === name ? '' : source,
      type,
    })) ?? [FRESH_COLUMN],
    format: null,
  }
}

/** How the file is read: as the form says, else as it is stored, else as its name says. */
export function formatIn({ format, output }: ScriptDraft, stored: ScriptOrigin | null): Format {
  if (format !== null) return format
  const byName = formatOf(output, 'UTC')
  if (stored === null) return byName
  const { file, values } = stored
  return {
    ...byName,
    kind: file.kind ?? 'csv',
    ...('delimiter' in file && { delimiter: file.delimiter, encoding: file.encoding }),
    ...('sheet' in file && { sheet: file.sheet ?? '' }),
    ...('hasHeader' in file && { hasHeader: file.hasHeader, skipRecords: String(file.skipRecords) }),
    decimal: values.decimal,
    nulls: values.nulls.filter((text) => text !== '').join(', '),
    dateFormat: values.dateFormats[0] ?? '',
    timeZone: values.timeZone,
  }
}

/** The origin in the shape of the API. A format that the form has not changed stays as it is stored. */
export function scriptBody(draft: ScriptDraft, stored: ScriptOrigin | null): object {
  const { scriptId, runConfigurationId, output, columns, format } = draft
  const read =
    format === null && stored !== null
      ? { file: stored.file, values: stored.values }
      : formatBody(formatIn(draft, stored))
  return {
    kind: 'script',
    scriptId: Number(scriptId),
    runConfigurationId: runConfigurationId === '' ? null : Number(runConfigurationId),
    output: output.trim(),
    ...read,
    columns: columns.map(({ name, source, type }) => ({
      name: name.trim(),
      source: source.trim() === '' ? name.trim() : source.trim(),
      type,
    })),
  }
}

/** Why the origin cannot be saved yet. */
export function refusedScript({ scriptId, output, columns }: ScriptDraft): string | undefined {
  if (scriptId === '' || output.trim() === '') return t('data.refresh.needsFile')
  const names = columns.map(({ name }) => name.trim().toLowerCase())
  if (names.length === 0) return t('data.refused.noColumns')
  if (names.includes('')) return t('data.refused.noName')
  return new Set(names).size < names.length ? t('data.refused.sameName') : undefined
}
