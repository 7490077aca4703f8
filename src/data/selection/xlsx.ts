import type { Cell, Column, Row } from '../../domain/table.ts'
import { chunkOf, streamOf } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { Refusal } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import { packed } from '../../lib/zip/writer.ts'
import type { Packable } from '../../lib/zip/writer.ts'
import type { Writing } from './formats.ts'

/** The bounds of a sheet, below its header. */
export const SHEET_ROWS_MAX = 1_048_575
export const SHEET_COLUMNS_MAX = 16_384
export const CELL_MAX_CHARS = 32_767

/** Characters that XML or its readers change, and the escapes of such (ECMA-376, 22.9.2.19). */
// oxlint-disable-next-line no-control-regex -- XML cannot have them
const ESCAPED = /[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[\da-f]{4}_)/gi
const MARKUP = /[&<>]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const DATE = /^\d{4}-\d{2}-\d{2}$/
/** Before the day 61, spreadsheets count one day more than there were. */
const [DAY_ZERO_AT, FIRST_DAY] = [Date.UTC(1899, 11, 30), 61]
const LETTERS = 26

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const MEDIA = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of a workbook beside its sheet. The second style shows days. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${MEDIA}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${MEDIA}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${MEDIA}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
}

/** The sheet of a workbook. Texts are never formulas; a number that a double would change is text, as are instants.
 * @throws {Refusal} query_too_large for more columns than a sheet has, and while rows are written that do not fit */
export function xlsxWriting(columns: readonly Column[]): Writing {
  if (columns.length > SHEET_COLUMNS_MAX)
    throw new Refusal('query_too_large', `A sheet has at most ${SHEET_COLUMNS_MAX} columns.`)
  const letters = columns.map((_, at) => lettersOf(at + 1))
  let rows = 0
  const lineOf = (row: Row, write: (cell: Exclude<Cell, null>, at: number) => string): string => {
    rows += 1
    if (rows > SHEET_ROWS_MAX + 1) throw tooManyRows()
    const cells = letters.map((name, at) => {
      const cell = row[at] ?? null
      return cell === null ? '' : `<c r="${name}${rows}"${write(cell, at)}</c>`
    })
    return `<row r="${rows}">${cells.join('')}</row>`
  }
  const names = columns.map(({ name }) => name)
  const valueOf = (cell: Exclude<Cell, null>, at: number) => valueXml(cell, columns[at]?.type ?? 'string')
  return {
    head: `${XML}<worksheet xmlns="${MAIN}"><sheetData>${lineOf(names, (name) => textXml(String(name)))}`,
    rows: (all) => all.map((row) => lineOf(row, valueOf)).join(''),
    tail: '</sheetData></worksheet>',
    // Without the directory at its end an archive cannot be read.
    brokenOff: () => '',
  }
}

/** The workbook of a sheet, as it comes. @param at when it was written, in milliseconds */
export function workbookOf(sheet: Chunks, at: number): ReadableStream<Uint8Array> {
  return streamOf(packed(partsOf(sheet, at)))
}

export function tooManyRows(): Refusal {
  return new Refusal(
    'query_too_large',
    `The result has more rows than a sheet, which has ${SHEET_ROWS_MAX} below its header. Narrow it, or export CSV.`,
  )
}

async function* partsOf(sheet: Chunks, changedAt: number): AsyncGenerator<Packable, void> {
  const encoder = new TextEncoder()
  for (const [path, text] of Object.entries(PARTS))
    yield { path, changedAt, chunks: chunkOf(encoder.encode(XML + text)) }
  yield { path: 'xl/worksheets/sheet1.xml', changedAt, chunks: sheet, isQuick: true }
}

/** The rest of a cell behind its place. */
function valueXml(cell: Exclude<Cell, null>, type: Column['type']): string {
  if (typeof cell === 'number') return `><v>${cell}</v>`
  if (typeof cell === 'boolean') return ` t="b"><v>${cell ? 1 : 0}</v>`
  const day = type === 'date' && DATE.test(cell) ? (Date.parse(cell) - DAY_ZERO_AT) / DAY_MS : 0
  return day >= FIRST_DAY ? ` s="1"><v>${day}</v>` : textXml(cell)
}

function textXml(text: string): string {
  if (text.length > CELL_MAX_CHARS)
    throw new Refusal(
      'query_too_large',
      `A text has more than ${CELL_MAX_CHARS} characters, which a cell of a sheet cannot have. Export CSV.`,
    )
  const plain = text
    .replaceAll(ESCAPED, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll(MARKUP, (one) => ENTITIES[one] ?? one)
  return ` t="inlineStr"><is><t xml:space="preserve">${plain}</t></is>`
}

/** The name of a column by its number from 1: AB of 28. */
function lettersOf(column: number): string {
  let [name, rest] = ['', column]
  for (; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    name = String.fromCharCode(65 + ((rest - 1) % LETTERS)) + name
  return name
}
