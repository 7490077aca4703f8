/** A record of an XLS workbook. */
export function xlsRecord(type: number, data: ArrayLike<number> = []): Uint8Array {
  const record = new Uint8Array(4 + data.length)
  record.set([...u16(type), ...u16(data.length)])
  record.set(data, 4)
  return record
}

/** `0x0809`: the beginning of a workbook (5) or of a sheet of cells (16). */
export const begin = (kind: number, version = 0x600) => xlsRecord(0x809, [...u16(version), ...u16(kind)])
export const end = xlsRecord(0x0a)

/** A number in a cell; row and column count from 0. */
export const numberRecord = (row: number, column: number, value: number) =>
  xlsRecord(0x203, [...u16(row), ...u16(column), 0, 0, ...new Uint8Array(new Float64Array([value]).buffer)])

export const textRecord = (row: number, column: number, text: string) => {
  const head = [...u16(row), ...u16(column), 0, 0, ...u16(text.length), 0]
  return xlsRecord(0x204, Buffer.concat([Uint8Array.from(head), Buffer.from(text, 'latin1')]))
}

/** A workbook with one sheet `Data`. @param globals records before the one that names the sheet */
export function xlsStream(cells: readonly Uint8Array[], globals: readonly Uint8Array[] = []): Uint8Array {
  const before = Buffer.concat([begin(5), ...globals])
  const at = before.length + 4 + 12 + 4
  const sheet = xlsRecord(0x85, [...u32(at), 0, 0, 4, 0, ...Buffer.from('Data')])
  return Buffer.concat([before, sheet, end, begin(16), ...cells, end])
}

/** A compound file with one stream, which a stream of the root holds if it is short. */
export function compoundFile(stream: Uint8Array, name = 'Workbook'): Uint8Array<ArrayBuffer> {
  const isShort = stream.length < SHORT_BYTES
  const dataSectors = Math.max(1, Math.ceil(stream.length / SECTOR_BYTES))
  const tableSectors = Math.ceil((dataSectors + 4) / 127)
  const [directoryAt, dataAt] = [tableSectors, tableSectors + 2]
  const file = new Uint8Array((1 + dataAt + dataSectors) * SECTOR_BYTES)
  writeHeader(file, tableSectors)
  const next = sectorView(file, 0, tableSectors)
  for (let at = 0; at < tableSectors * 128; at += 1) {
    const isChained = at >= dataAt && at < dataAt + dataSectors - 1
    next.setUint32(at * 4, isChained ? at + 1 : LAST, true)
  }
  const shortNext = sectorView(file, directoryAt + 1)
  for (let at = 0; at < 128; at += 1)
    shortNext.setUint32(at * 4, at + 1 < Math.ceil(stream.length / 64) ? at + 1 : LAST, true)
  const directory = sectorView(file, directoryAt)
  const rootBytes = isShort ? dataSectors * SECTOR_BYTES : 0
  writeEntry(directory, 0, { name: 'Root Entry', type: 5, start: dataAt, sizeBytes: rootBytes })
  const start = isShort ? 0 : dataAt
  writeEntry(directory, 1, { name, type: 2, start, sizeBytes: stream.length })
  file.set(stream, (dataAt + 1) * SECTOR_BYTES)
  return file
}

function writeHeader(file: Uint8Array, tableSectors: number): void {
  const view = new DataView(file.buffer)
  file.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
  const shorts = { 26: 3, 28: 0xfffe, 30: 9, 32: 6 }
  for (const [at, value] of Object.entries(shorts)) view.setUint16(Number(at), value, true)
  const longs = { 44: tableSectors, 48: tableSectors, 56: SHORT_BYTES, 60: tableSectors + 1, 64: 1, 68: LAST }
  for (const [at, value] of Object.entries(longs)) view.setUint32(Number(at), value, true)
  for (let at = 0; at < 109; at += 1) view.setUint32(76 + at * 4, at < tableSectors ? at : FREE, true)
}

type Entry = {
  readonly name: string
  readonly type: number
  readonly start: number
  readonly sizeBytes: number
}

function writeEntry(directory: DataView, index: number, { name, type, start, sizeBytes }: Entry): void {
  const at = index * 128
  for (let char = 0; char < name.length; char += 1)
    directory.setUint16(at + char * 2, name.charCodeAt(char), true)
  directory.setUint16(at + 64, (name.length + 1) * 2, true)
  directory.setUint8(at + 66, type)
  directory.setUint32(at + 116, start, true)
  directory.setUint32(at + 120, sizeBytes, true)
}

function sectorView(file: Uint8Array, number: number, count = 1): DataView {
  return new DataView(file.buffer, (number + 1) * SECTOR_BYTES, count * SECTOR_BYTES)
}

const [SECTOR_BYTES, SHORT_BYTES] = [512, 4_096]
const [LAST, FREE] = [0xfffffffe, 0xffffffff]

function u16(value: number): readonly number[] {
  return [value & 0xff, (value >> 8) & 0xff]
}

function u32(value: number): readonly number[] {
  return [...u16(value), ...u16(value >>> 16)]
}
