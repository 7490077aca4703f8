import type { Cell, ColumnType } from '../../src/domain/table.ts'
import type { ResultColumn } from '../../src/ports/databases.ts'

/** Makes a cell from the text of a value. */
type Reader = (text: string) => Cell
type KnownType = { readonly type: ColumnType; readonly isExact?: boolean; readonly read: Reader }

export type Reading = { readonly column: ResultColumn; readonly read: Reader }

const same: Reader = (text) => text
const STRING: KnownType = { type: 'string', read: same }
const SMALL_INTEGER: KnownType = { type: 'integer', read: Number }
const INTEGER: KnownType = { type: 'integer', isExact: true, read: integerOf }
const DOUBLE: KnownType = {
  type: 'number',
  read: (text) => (Number.isFinite(Number(text)) ? Number(text) : null),
}
/** `NaN` and the infinities of numeric are null as well. */
const DECIMAL: KnownType = { type: 'number', isExact: true, read: (text) => (/\d/.test(text) ? text : null) }
const BOOLEAN: KnownType = { type: 'boolean', read: (text) => text === 't' }
const DATE: KnownType = { type: 'date', read: finite }
const TIME: KnownType = { type: 'time', read: same }
const LOCAL: KnownType = { type: 'datetime', read: (text) => finite(text.replace(' ', 'T')) }
const INSTANT: KnownType = { type: 'datetime', read: (text) => instantOf(text) }
const JSON_TEXT: KnownType = { type: 'json', read: same }
const BYTES: KnownType = { type: 'binary', read: (text) => base64OfHex(text) }

/** Types of PostgreSQL by their OIDs. */
const BY_OID: ReadonlyMap<number, KnownType> = new Map([
  [16, BOOLEAN],
  [17, BYTES],
  [20, INTEGER],
  [21, SMALL_INTEGER],
  [23, SMALL_INTEGER],
  [26, SMALL_INTEGER],
  [114, JSON_TEXT],
  [700, DOUBLE],
  [701, DOUBLE],
  [1082, DATE],
  [1083, TIME],
  [1114, LOCAL],
  [1184, INSTANT],
  [1266, TIME],
  [1700, DECIMAL],
  [3802, JSON_TEXT],
])

/** The type of a column of PostgreSQL. */
export function postgresType(oid: number): ColumnType {
  return (BY_OID.get(oid) ?? STRING).type
}

/** Reads a column of PostgreSQL, whose values come as text with `DateStyle` ISO. */
export function readPostgres(name: string, oid: number): Reading {
  return readingOf(name, BY_OID.get(oid) ?? STRING)
}

/** Types of MySQL by their numbers in the protocol. */
const BY_NUMBER: ReadonlyMap<number, KnownType> = new Map([
  [0x00, DECIMAL],
  [0x01, SMALL_INTEGER],
  [0x02, SMALL_INTEGER],
  [0x03, SMALL_INTEGER],
  [0x04, DOUBLE],
  [0x05, DOUBLE],
  [0x07, { type: 'datetime', read: (text) => (isZeroDay(text) ? null : instantOf(`${text}+00`)) }],
  [0x08, INTEGER],
  [0x09, SMALL_INTEGER],
  [0x0a, { ...DATE, read: (text) => (isZeroDay(text) ? null : text) }],
  [0x0b, TIME],
  [0x0c, { ...LOCAL, read: (text) => (isZeroDay(text) ? null : text.replace(' ', 'T')) }],
  [0x0d, SMALL_INTEGER],
  [0xf5, JSON_TEXT],
  [0xf6, DECIMAL],
])
const BINARY_CHARSET = 63
const BIT = 0x10
/** Blobs, texts and strings, which are bytes if their character set is `binary`. */
const TEXTS: ReadonlySet<number> = new Set([0x0f, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe])

export type MysqlField = { readonly name: string; readonly columnType: number; readonly characterSet: number }

/** Reads a column of MySQL. Bytes come as hexadecimal digits after `\x`. */
export function readMysql({ name, columnType, characterSet }: MysqlField): Reading {
  const isBytes = columnType === BIT || (TEXTS.has(columnType) && characterSet === BINARY_CHARSET)
  return readingOf(name, isBytes ? BYTES : (BY_NUMBER.get(columnType) ?? STRING))
}

/** The type of a column by its name in MySQL's information schema. */
export function mysqlType(name: string): ColumnType {
  return MYSQL_NAMES.get(name.toLowerCase()) ?? 'string'
}

const MYSQL_NAMES: ReadonlyMap<string, ColumnType> = new Map(
  (
    [
      ['integer', 'tinyint smallint mediumint int bigint year'],
      ['number', 'decimal float double'],
      ['date', 'date'],
      ['time', 'time'],
      ['datetime', 'datetime timestamp'],
      ['json', 'json'],
      ['binary', 'binary varbinary tinyblob blob mediumblob longblob bit'],
    ] as const
  ).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
)

function readingOf(name: string, { type, isExact = false, read }: KnownType): Reading {
  return { column: { name, type, isExact }, read }
}

function integerOf(text: string): Cell {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** The text; null for `infinity`, which is not a day or an instant. */
function finite(text: string): string | null {
  return text.endsWith('infinity') ? null : text
}

/** Whether a text is a day that does not exist, such as `0000-00-00`, which MySQL stores for an unknown day. */
function isZeroDay(text: string): boolean {
  return /^\d{4}-(?:00|\d\d-00)/.test(text)
}

const INSTANT_TEXT = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

/** An instant in UTC, with all of its digits. A year before Christ, which ISO 8601 counts otherwise, stays as it is. */
function instantOf(text: string): string | null {
  const match = INSTANT_TEXT.exec(text)
  if (!match) return finite(text)
  const [, day, time, fraction = '', sign, hours, minutes = '0', seconds = '0'] = match
  const offsetMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
  const at = Date.parse(`${day}T${time}Z`) - (sign === '-' ? -offsetMs : offsetMs)
  if (Number.isNaN(at)) return text
  return `${new Date(at).toISOString().slice(0, 19)}${fraction}Z`
}

function base64OfHex(text: string): string {
  return Uint8Array.fromHex(text.slice(2)).toBase64()
}
