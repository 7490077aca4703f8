import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { COLUMN_TYPES } from '../../domain/table.ts'
import { COLUMN_NAME_MAX, COLUMNS_MAX } from '../../domain/import-plan.ts'
import type { ColumnWarning, ImportFault } from '../../domain/import-plan.ts'
import { composedName, storableText, timeZone } from '../../http/text-schemas.ts'
import { idPath } from '../../http/openapi-answers.ts'

/** Columns of an imported table. */
const KEY_MAX = 16
const NULLS_MAX = 20
const FORMATS_MAX = 10
const FAULTS_MAX = 1_000
const SKIPPED_RECORDS_MAX = 1_000
/** Spreadsheets have 31 characters at most; others that write workbooks need not count. */
const SHEET_NAME_MAX = 255
/** Texts of files are never read as bytes. */
export const importType = z.enum(COLUMN_TYPES).exclude(['binary'])

const character = z.string().length(1, 'must be one character')

const csvFormat = z.strictObject({
  kind: z.literal('csv').optional().describe('Absent: `csv`.'),
  delimiter: z
    .union([z.literal('auto'), character])
    .default('auto')
    .describe('The character between cells; `auto` finds it in the first record.'),
  quote: character.default('"').describe('The character around cells that have delimiters or line ends.'),
  encoding: z.enum(['utf-8', 'latin-1', 'utf-16le']).default('utf-8').describe('The encoding of the file.'),
  hasHeader: z.boolean().default(true).describe('Whether the first record has the names of the columns.'),
  skipRecords: z.int().min(0).max(SKIPPED_RECORDS_MAX).default(0).describe('Records before the header.'),
})

const ndjsonFormat = z.strictObject({
  kind: z.literal('ndjson').describe('A JSON object in UTF-8 on each line; its keys are the columns.'),
})

const workbookFormat = z.strictObject({
  kind: z
    .enum(['xlsx', 'xls'])
    .describe('A sheet of a workbook: an XLSX file, or an XLS file of Excel 97 to 2003.'),
  sheet: storableText
    .min(1)
    .max(SHEET_NAME_MAX)
    .nullable()
    .default(null)
    .describe('The name of the sheet; null for the first one.'),
  hasHeader: z
    .boolean()
    .default(true)
    .describe('Whether the first row that has values has the names of the columns.'),
  skipRecords: z
    .int()
    .min(0)
    .max(SKIPPED_RECORDS_MAX)
    .default(0)
    .describe('Rows that have values before the header.'),
})

const parquetFormat = z.strictObject({
  kind: z.literal('parquet').describe('A Parquet file without nested columns.'),
})

export const fileFormat = z.discriminatedUnion('kind', [
  csvFormat,
  ndjsonFormat,
  workbookFormat,
  parquetFormat,
])

export const valueFormat = z.strictObject({
  nulls: z.array(storableText.max(64)).max(NULLS_MAX).default(['']).describe('Texts that stand for null.'),
  decimal: z.enum(['.', ',']).default('.').describe('The decimal separator.'),
  dateFormats: z
    .array(storableText.min(1).max(64))
    .max(FORMATS_MAX)
    .default([])
    .describe('Formats of dates and local date-times beside ISO 8601, such as `dd.MM.yyyy`.'),
  timeZone: timeZone.default('UTC').describe('The zone of date-times without an offset.'),
})

export const columnName = storableText.min(1).max(COLUMN_NAME_MAX)

const column = z.strictObject({
  source: columnName.describe('The name of the column in the file.'),
  name: columnName.optional().describe('The name of the column in the table; absent: as in the file.'),
  type: importType.optional().describe('The type; absent: found in all values.'),
})

const formats = {
  file: fileFormat.prefault({}).describe('How the file is read into records.'),
  values: valueFormat.prefault({}).describe('How texts are read into values.'),
}

const uploadId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'must be the id of an upload')
export const importedTablePath = idPath.extend({ table: z.string().min(1).max(255) })
export const uploadPath = idPath.extend({ upload: uploadId })

export const previewBody = z.strictObject(formats)

export const importBody = z.strictObject({
  upload: uploadId.describe('The id of the upload.').meta({ examples: ['01KAX3V6Y8Q4ZJ0N5T7W9B2C1D'] }),
  table: composedName.describe('The name of the table.').meta({ examples: ['orders'] }),
  mode: z
    .enum(['create', 'replace', 'append', 'upsert'])
    .default('create')
    .describe(
      '`create`: a new table; `replace`: in place of the table of this name, if there is one; `append`: after its rows; `upsert`: after its rows, without the rows that have a key of the file.',
    ),
  key: z
    .array(columnName)
    .max(KEY_MAX)
    .default([])
    .describe('For `upsert`: the columns of the table by which rows are replaced.'),
  ...formats,
  columns: z
    .array(column)
    .min(1)
    .max(COLUMNS_MAX)
    .nullable()
    .default(null)
    .describe('The columns of the table, in their order; null for all of the file.'),
  onError: z
    .enum(['abort', 'skip'])
    .default('abort')
    .describe('`abort`: the first fault ends the import; `skip`: records with a fault are left out.'),
  maxErrors: z
    .int()
    .min(0)
    .max(FAULTS_MAX)
    .default(100)
    .describe('How many records may be left out; one more ends the import.'),
})

export const uploadView = z
  .object({
    id: z.string().meta({ examples: ['01KAX3V6Y8Q4ZJ0N5T7W9B2C1D'] }),
    sizeBytes: z.int().describe('The size of the file in bytes.'),
    expiresAt: timestamp.describe('When the upload is deleted.'),
  })
  .meta({ id: 'DataUpload' })

const fault = z
  .object({
    code: z
      .enum([
        'quoting',
        'encoding',
        'nul',
        'not_an_object',
        'too_few_cells',
        'too_many_cells',
        'too_long',
        'cell_error',
        'not_of_the_type',
      ] satisfies ImportFault['code'][])
      .describe('The kind of fault.'),
    line: z.int().describe('The line of the file, or the row of a sheet or of a Parquet file, from 1.'),
    sheet: z.string().optional().describe('The sheet of a workbook.'),
    column: z.string().nullable().describe('The name of the column; null for the whole record.'),
    message: z.string(),
  })
  .meta({ id: 'ImportFault' })

export const previewView = z
  .object({
    delimiter: z
      .string()
      .nullable()
      .describe('The delimiter that was found or given; null for other files than CSV.'),
    sheets: z.array(z.string()).describe('The names of the sheets of a workbook; none for other files.'),
    sheet: z.string().nullable().describe('The sheet that was read; null for other files.'),
    records: z.int().describe('The number of records without faults.'),
    columns: z
      .array(
        z.object({
          source: z.string().describe('The name in the file.'),
          name: z.string(),
          type: importType,
          nullable: z.boolean().describe('Whether a value is null.'),
          warnings: z.array(
            z.object({
              code: z
                .enum([
                  'mixed_types',
                  'leading_zeros',
                  'long_digits',
                  'ambiguous_date',
                ] satisfies ColumnWarning['code'][])
                .describe(
                  '`mixed_types`: all values before this line have another type; `leading_zeros`, `long_digits`: digits that a number would change; `ambiguous_date`: day and month may be either.',
                ),
              line: z.int().describe('The first line of the kind.'),
            }),
          ),
        }),
      )
      .describe('The columns with the types that all values have.'),
    sample: z.array(z.array(z.string())).describe('The first records, as text.'),
    faults: z.array(fault).describe('The first faults; at most 100.'),
  })
  .meta({ id: 'ImportPreview' })

export const importView = z
  .object({
    table: z.string(),
    rows: z.int().describe('The number of rows of the table.'),
    replaced: z.int().describe('The number of rows that an `upsert` has replaced.'),
    skipped: z.int().describe('The number of records that were left out.'),
    faults: z.array(fault).describe('The first faults of these records; at most 100.'),
  })
  .meta({ id: 'ImportResult' })

export type PreviewBody = z.output<typeof previewBody>
export type ImportBody = z.output<typeof importBody>
export type UploadView = z.output<typeof uploadView>
export type PreviewView = z.output<typeof previewView>
export type ImportView = z.output<typeof importView>
