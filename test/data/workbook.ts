import { craft, DEFLATED } from '../packages/crafted.ts'
import type { Part } from '../packages/crafted.ts'

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
const relations = (...all: string[]) =>
  `<?xml version="1.0"?>\n<Relationships>${all.join('')}</Relationships>`

type Parts = {
  /** The content of `sheetData`. */
  readonly rows?: string
  readonly sheet?: string
  readonly strings?: string
  readonly styles?: string
  readonly book?: string
  readonly bookProperties?: string
}

/** A workbook that is put together by hand, with one sheet, `Data`. */
export function workbook(parts: Parts = {}, change: (parts: Part[]) => Part[] = (all) => all): Uint8Array {
  return craft(change(partsOf(parts)))
}

function partsOf({ rows = '', sheet, strings = '', styles = '', book, bookProperties = '' }: Parts): Part[] {
  const own = `<workbook xmlns:r="${RELATIONS}">${bookProperties}<sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`
  const all = {
    '_rels/.rels': relations(relation('a', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': book ?? own,
    'xl/_rels/workbook.xml.rels': relations(
      relation('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      relation('rId2', 'sharedStrings', '/xl/sharedStrings.xml'),
      relation('rId3', 'styles', 'styles.xml'),
    ),
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/worksheets/sheet1.xml': sheet ?? `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  }
  return Object.entries(all).map(([name, data]) => ({ name, data, method: DEFLATED }))
}

/** A row of a sheet whose cells are numbers. */
export function numberRow(row: number, values: readonly (number | string)[]): string {
  return `<row r="${row}">${values.map((value) => `<c><v>${value}</v></c>`).join('')}</row>`
}

/** A row of a sheet whose cells are texts that stand in the sheet. */
export function textRow(row: number, texts: readonly string[]): string {
  const cells = texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`)
  return `<row r="${row}">${cells.join('')}</row>`
}
