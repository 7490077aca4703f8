import { fileTypeFromBuffer } from 'file-type/core'
import type { FileFormat, RowsFormat } from '../../domain/import-plan.ts'
import { unreadable } from './failure.ts'

type UploadFormat = Exclude<FileFormat, RowsFormat>
type Kind = UploadFormat['kind']

/** The first bytes of files that are not text, and their names. */
const BEGINNINGS = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], kind: 'xlsx', name: 'a ZIP archive such as an XLSX workbook' },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    kind: 'xls',
    name: 'an XLS workbook, or a workbook with a password',
  },
  { bytes: [0x50, 0x41, 0x52, 0x31, 0x15], kind: 'parquet', name: 'a Parquet file' },
] as const

const NAMES: Readonly<Record<Kind, string>> = {
  csv: 'CSV',
  ndjson: 'NDJSON',
  xlsx: 'an XLSX workbook',
  xls: 'an XLS workbook',
  parquet: 'a Parquet file',
}

/** Refuses a file whose beginning is not of its kind. Bytes of a text that nothing is known of are faults of records.
 * @throws {Refusal} import_failed */
export async function requireKind(head: Uint8Array, { kind, ...rest }: UploadFormat): Promise<void> {
  const found = BEGINNINGS.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte))
  if (found?.kind === kind) return
  if (found) throw lying(kind, found.name, found.kind)
  const isWide = 'encoding' in rest && rest.encoding === 'utf-16le'
  const isText = isWide || !head.includes(0)
  if (isText && isTextKind(kind)) return
  // It fails for some files that are damaged.
  const type = isText ? undefined : await fileTypeFromBuffer(head).catch(() => undefined)
  if (type) throw lying(kind, `of the type ${type.mime}`, null)
  if (!isTextKind(kind)) throw unreadable(`The file is not ${NAMES[kind]}.`)
}

function isTextKind(kind: Kind): boolean {
  return kind === 'csv' || kind === 'ndjson'
}

function lying(kind: Kind, name: string, right: Kind | null): Error {
  const advice = right === null ? '' : ` Set kind to ${right} if it is one.`
  return unreadable(`The file is ${name}, not ${NAMES[kind]}.${advice}`, '/file/kind')
}
