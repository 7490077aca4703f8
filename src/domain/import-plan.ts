import type { Column, ColumnType } from './table.ts'

/** The columns of a table: as many as one can have at the edge. */
export const COLUMNS_MAX = 100
/** The characters of the name of a column. */
export const COLUMN_NAME_MAX = 255

/** How a file becomes rows of a table. */
export type ImportPlan = {
  readonly file: FileFormat
  readonly values: ValueFormat
  readonly columns: readonly PlannedColumn[]
  /** `abort`: the first fault ends the import. `skip`: records with a fault are left out, `faultsMax` of them at most. */
  readonly onError: 'abort' | 'skip'
  readonly faultsMax: number
  /** The shape of the file, by an inspection. Absent where there was none. */
  readonly plain?: PlainCsv | null
}

/** A CSV file in UTF-8 without faults, mixed ends of lines and blank lines. */
export type PlainCsv = {
  readonly lineEnd: '\r\n' | '\n'
  /** The number of records without the header. */
  readonly records: number
  /** For each column of the file the type of which all values have the usual form; text for other ones. */
  readonly types: readonly ColumnType[]
}

/** A column of the table, and the index of the column of the file from which it comes. */
export type PlannedColumn = Column & { readonly source: number }

export type FileFormat = CsvFormat | NdjsonFormat | WorkbookFormat | ParquetFormat | RowsFormat

/** The cells of a row in JSON, with commas between them, on each line, as the service writes them. */
export type RowsFormat = {
  readonly kind: 'rows'
  /** How many lines there are, where each is CSV as well, whose escapes are `\"` and `\\`, with values in the form that every
   * engine reads; else null. */
  readonly plainRows: number | null
}

/** A JSON object in UTF-8 on each line; its keys are the columns. */
export type NdjsonFormat = { readonly kind: 'ndjson' }

/** A Parquet file. The file has the types of its columns, and nested columns are refused. */
export type ParquetFormat = { readonly kind: 'parquet' }

/** A sheet of a workbook: of an XLSX file, or of an XLS file of Excel 97 to 2003. */
export type WorkbookFormat = {
  readonly kind: 'xlsx' | 'xls'
  /** The name of the sheet; null for the first one. */
  readonly sheet: string | null
  /** Whether the first row with values has the names of the columns. */
  readonly hasHeader: boolean
  /** Rows with values before the header. */
  readonly skipRecords: number
}

export type CsvFormat = {
  readonly kind: 'csv'
  readonly delimiter: string
  readonly quote: string
  readonly encoding: 'utf-8' | 'latin-1' | 'utf-16le'
  /** Whether the first record has the names of the columns. */
  readonly hasHeader: boolean
  /** Records before the header. */
  readonly skipRecords: number
}

export type ValueFormat = {
  /** Texts that stand for null. */
  readonly nulls: readonly string[]
  readonly decimal: '.' | ','
  /** Formats of dates and local date-times beside ISO 8601, such as `dd.MM.yyyy`. */
  readonly dateFormats: readonly string[]
  /** The zone of date-times without an offset. */
  readonly timeZone: string
}

/** The columns and counts of a whole file. */
export type FileContents = {
  readonly columns: readonly FileColumn[]
  /** The sheets of a workbook; none for other files. */
  readonly sheets: readonly string[]
  /** The sheet that was read. */
  readonly sheet: string | null
  readonly records: number
  /** Null for files that other programs may read in another way. */
  readonly plain: PlainCsv | null
  /** The first records, as text. */
  readonly sample: readonly (readonly string[])[]
  readonly faults: readonly ImportFault[]
}

export type FileColumn = Column & {
  readonly source: number
  readonly hasNulls: boolean
  readonly warnings: readonly ColumnWarning[]
}

export type ColumnWarning = {
  /** `mixed_types`: all values before this line have another type. `leading_zeros`, `long_digits`: digits that a number
   * would change. `ambiguous_date`: day and month may be either. */
  readonly code: 'mixed_types' | 'leading_zeros' | 'long_digits' | 'ambiguous_date'
  readonly line: number
}

/** A fault at a place of a file. */
export type ImportFault = {
  readonly code:
    | 'quoting'
    | 'encoding'
    | 'nul'
    | 'not_an_object'
    | 'too_few_cells'
    | 'too_many_cells'
    | 'too_long'
    | 'cell_error'
    | 'not_of_the_type'
  /** From 1: a line, or a row of a sheet. */
  readonly line: number
  /** The sheet of a workbook. */
  readonly sheet?: string
  /** The name of the column; null for a fault of the whole record. */
  readonly column: string | null
  readonly message: string
}
