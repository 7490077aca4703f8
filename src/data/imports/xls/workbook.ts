import type { ByteSource } from '../../../lib/zip/source.ts'
import { unreadable } from '../failure.ts'
import { PackedStrings } from '../xlsx/strings.ts'
import { kindOfFormat, kindOfNumber, STYLES_MAX } from '../xlsx/styles.ts'
import type { NumberKind } from '../xlsx/styles.ts'
import type { SheetContext } from '../xlsx/sheet.ts'
import { SHEETS_MAX } from '../xlsx/workbook.ts'
import type { Workbook } from '../xlsx/workbook.ts'
import { openContainer } from './container.ts'
import { continuedFrom, RECORD, recordAt, u16, u32, u8 } from './records.ts'
import type { XlsRecord } from './records.ts'
import { readSheet } from './sheet.ts'
import { readSharedTexts, TextReader } from './texts.ts'

/** All of a workbook is in memory. A sheet of its format has 65,536 rows. */
export const XLS_MAX_BYTES = 16 * 1024 * 1024
/** The version of Excel 97 to 2003. */
const BIFF8 = 0x600
const CELLS = 0

/** Opens an XLS workbook and lists its sheets. @throws {Refusal} import_failed */
export async function openXls(source: ByteSource): Promise<Workbook> {
  if (source.sizeBytes > XLS_MAX_BYTES)
    throw unreadable(
      `An XLS workbook has at most ${XLS_MAX_BYTES} bytes. Save it as XLSX or the sheet as CSV.`,
    )
  const container = openContainer(await source.read(0, source.sizeBytes))
  if (container.names.has('encryptedpackage')) throw withPassword()
  if (!container.names.has('workbook') && container.names.has('book')) throw tooOld()
  const stream = container.stream('workbook')
  const { sheets, context } = readGlobals(stream)
  return {
    sheets: [...sheets.keys()],
    async *rows(sheet) {
      yield* readSheet(stream, sheets.get(sheet) ?? 0, context)
    },
  }
}

type Globals = { readonly sheets: ReadonlyMap<string, number>; readonly context: SheetContext }

/** The parts of a workbook that its sheets share, and the places of the sheets of cells by their names. */
function readGlobals(stream: Uint8Array): Globals {
  const parts = new GlobalParts()
  let record = recordAt(stream, 0)
  if (record.type !== RECORD.begin) throw unreadable('The file is not an XLS workbook.')
  if (u16(record.data, 0) !== BIFF8) throw tooOld()
  while (record.type !== RECORD.end) {
    parts.take(record, stream)
    record = recordAt(stream, record.nextAt)
  }
  if (parts.sheets.size === 0) throw unreadable('The workbook has no sheet of cells.')
  return { sheets: parts.sheets, context: parts.context }
}

class GlobalParts {
  readonly sheets = new Map<string, number>()
  readonly #formats = new Map<number, NumberKind>()
  readonly #styles: number[] = []
  #strings = new PackedStrings()
  #is1904 = false

  take(record: XlsRecord, stream: Uint8Array): void {
    const { type, data } = record
    if (type === RECORD.password) throw withPassword()
    if (this.#styles.length > STYLES_MAX || this.sheets.size > SHEETS_MAX)
      throw unreadable(`The workbook has more than ${STYLES_MAX} styles, or more than ${SHEETS_MAX} sheets.`)
    if (type === RECORD.isFrom1904) this.#is1904 = u16(data, 0) === 1
    else if (type === RECORD.style) this.#styles.push(u16(data, 2))
    else if (type === RECORD.strings) this.#strings = readSharedTexts(continuedFrom(stream, record))
    else if (type === RECORD.format)
      this.#formats.set(u16(data, 0), kindOfFormat(new TextReader([data], 2).text()))
    else if (type === RECORD.sheet && u8(data, 5) === CELLS)
      this.sheets.set(new TextReader([data], 6).text(1), u32(data, 0))
  }

  get context(): SheetContext {
    return {
      strings: this.#strings,
      styles: this.#styles.map((format) => kindOfNumber(format, this.#formats)),
      is1904: this.#is1904,
    }
  }
}

function withPassword(): Error {
  return unreadable('The workbook has a password. Save it without one.')
}

function tooOld(): Error {
  return unreadable('The workbook is of Excel 95 or older. Save it as XLSX or the sheet as CSV.')
}
