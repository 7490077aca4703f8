import type { Answer } from '../../api/client.ts'

type Operation = Answer<'/operations/{id}'>
export type Preview = Exclude<Answer<'/dataSources/{id}/uploads/{upload}/preview', 'post'>, Operation>
export type ImportResult = Exclude<Answer<'/dataSources/{id}/import', 'post'>, Operation>
export type ImportType = Preview['columns'][number]['type']

export const IMPORT_TYPES: readonly ImportType[] = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'time',
  'json',
]
export const MODES = ['create', 'replace', 'append', 'upsert'] as const
export type Mode = (typeof MODES)[number]

export const FILE_KINDS = ['csv', 'ndjson', 'xlsx', 'xls', 'parquet'] as const
type FileKind = (typeof FILE_KINDS)[number]

/** How a file is read, as texts of a form. */
export type Format = {
  readonly kind: FileKind
  /** The sheet of a workbook; empty for the first one. */
  readonly sheet: string
  readonly delimiter: string
  readonly encoding: 'utf-8' | 'latin-1' | 'utf-16le'
  readonly hasHeader: boolean
  readonly skipRecords: string
  readonly decimal: '.' | ','
  /** Texts that stand for null, between commas; the empty text is one of them. */
  readonly nulls: string
  readonly dateFormat: string
  readonly timeZone: string
}

/** A column of the file, and the column of the table that it becomes. */
export type ColumnPlan = {
  readonly source: string
  readonly name: string
  readonly type: ImportType
  readonly isUsed: boolean
  /** Whether the user has chosen the type. */
  readonly isTyped?: boolean
}

export type Target = {
  readonly table: string
  readonly mode: Mode
  readonly key: readonly string[]
  readonly onError: 'abort' | 'skip'
}

function kindOf(fileName: string): Format['kind'] {
  const ending = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()
  if (ending === 'jsonl') return 'ndjson'
  return FILE_KINDS.find((kind) => kind === ending) ?? 'csv'
}

export function isWorkbook(kind: FileKind): boolean {
  return kind === 'xlsx' || kind === 'xls'
}

/** Whether the names of the columns may be in the first record of such a file. */
export function hasHeaderFields(kind: FileKind): boolean {
  return kind === 'csv' || isWorkbook(kind)
}

/** How a file of this name is read at first. */
export function formatOf(fileName: string, timeZone: string): Format {
  return {
    kind: kindOf(fileName),
    sheet: '',
    delimiter: 'auto',
    encoding: 'utf-8',
    hasHeader: true,
    skipRecords: '0',
    decimal: '.',
    nulls: '',
    dateFormat: '',
    timeZone,
  }
}

/** The name of a table for a file, such as `orders_2026` for `Orders 2026.csv`. */
export function tableNameOf(fileName: string): string {
  const name = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
  return name === '' ? 'table' : name
}

/** The format in the shape of the API. */
export function formatBody(format: Format): object {
  const { decimal, dateFormat, timeZone } = format
  const nulls = format.nulls
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return {
    file: fileBody(format),
    values: {
      nulls: ['', ...new Set(nulls)],
      decimal,
      dateFormats: dateFormat.trim() === '' ? [] : [dateFormat.trim()],
      timeZone,
    },
  }
}

function fileBody({ kind, sheet, delimiter, encoding, hasHeader, skipRecords }: Format): object {
  if (!hasHeaderFields(kind)) return { kind }
  const rows = { kind, hasHeader, skipRecords: Number(skipRecords) || 0 }
  return isWorkbook(kind) ? { ...rows, sheet: sheet === '' ? null : sheet } : { ...rows, delimiter, encoding }
}

/** The columns of a preview, with what the user has changed before. */
export function columnsOf(preview: Preview, former: readonly ColumnPlan[]): readonly ColumnPlan[] {
  return preview.columns.map(({ source, name, type }) => {
    const known = former.find((column) => column.source === source)
    const plan = { source, name: known?.name ?? name, isUsed: known?.isUsed ?? true }
    return known?.isTyped ? { ...plan, type: known.type, isTyped: true } : { ...plan, type }
  })
}

/** The import in the shape of the API. Rows that are added take the types of their table. */
export function importBody(
  {
    format,
    columns,
    target,
  }: { readonly format: Format; readonly columns: readonly ColumnPlan[]; readonly target: Target },
  upload: string,
): object {
  const { table, mode, key, onError } = target
  const used = columns.filter(({ isUsed }) => isUsed)
  return {
    upload,
    table,
    mode,
    ...(mode === 'upsert' ? { key } : {}),
    ...formatBody(format),
    columns: used.map(({ source, name, type }) =>
      isAdding(mode) ? { source, name } : { source, name, type },
    ),
    onError,
    maxErrors: onError === 'skip' ? 1_000 : 0,
  }
}

export const isAdding = (mode: Mode): boolean => mode === 'append' || mode === 'upsert'

/** Why an import cannot begin, as the key of a text; null when it can. */
export function refusalOf(
  { columns, target }: { readonly columns: readonly ColumnPlan[]; readonly target: Target },
  tables: readonly string[],
): string | null {
  const used = columns.filter(({ isUsed }) => isUsed)
  const names = used.map(({ name }) => name.trim().toLowerCase())
  const isThere = tables.some((name) => name.toLowerCase() === target.table.trim().toLowerCase())
  if (used.length === 0) return 'data.refused.noColumns'
  if (names.includes('')) return 'data.refused.noName'
  if (new Set(names).size < names.length) return 'data.refused.sameName'
  if (target.table.trim() === '') return 'data.refused.noTable'
  if (target.mode === 'create' && isThere) return 'data.refused.tableTaken'
  if (isAdding(target.mode) && !isThere) return 'data.refused.tableMissing'
  if (target.mode === 'upsert' && target.key.length === 0) return 'data.refused.noKey'
  return null
}

/** The faults of a refused import, whose pointers name their line and column. */
export function faultsOf(
  errors: readonly { readonly pointer: string; readonly message: string }[],
): readonly {
  readonly line: number
  readonly column: string | null
  readonly message: string
}[] {
  return errors.flatMap(({ pointer, message }) => {
    const match = /^\/file\/(\d+)(?:\/(.*))?$/s.exec(pointer)
    const column = match?.[2]?.replaceAll('~1', '/').replaceAll('~0', '~') ?? null
    return match ? [{ line: Number(match[1]), column, message }] : []
  })
}
