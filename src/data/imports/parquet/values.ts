import { DAY_MS } from '../../../lib/time.ts'
import type { SchemaElement } from 'hyparquet'
import type { FileCell } from '../cells.ts'

/** How the values of a column are read: as the element says that the library is given, each by the function. */
export type ValueReader = { readonly element: SchemaElement; readonly cell: (value: unknown) => FileCell }

type Read = ValueReader['cell']

const TIMESTAMPS: Readonly<Record<string, string>> = {
  TIMESTAMP_MILLIS: 'MILLIS',
  TIMESTAMP_MICROS: 'MICROS',
}
const TIMES: Readonly<Record<string, string>> = { TIME_MILLIS: 'MILLIS', TIME_MICROS: 'MICROS' }
/** Millionths of a second in a unit, by numerator and denominator. */
const MICROS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  MILLIS: [1_000n, 1n],
  MICROS: [1n, 1n],
  NANOS: [1n, 1_000n],
}
/** A double keeps the digits of smaller whole numbers. */
const WHOLE_MAX = 1e15
const SECOND = 1_000_000n
/** Types that tables do not have. */
const UNSUPPORTED = new Set(['BSON', 'INTERVAL', 'VARIANT', 'GEOMETRY', 'GEOGRAPHY', 'FLOAT16'])

/** The reader of a column that is not nested; null for a type that tables do not have. */
export function valueReader(element: SchemaElement): ValueReader | null {
  const { converted_type: converted, logical_type: logical, type } = element
  const meaning = logical?.type ?? converted ?? ''
  if (UNSUPPORTED.has(meaning)) return null
  // The library rounds decimals and cuts instants, so it gets the plain type.
  const { converted_type: _, logical_type: __, ...plain } = element
  const read = logicalReader(element)
  if (read) return { element: plain, cell: read }
  if (type === 'BYTE_ARRAY') {
    const cell = textReader(meaning === 'JSON' ? 'json' : 'string')
    return { element: { ...plain, converted_type: 'UTF8' }, cell }
  }
  const cell = PLAIN[type ?? '']
  return cell ? { element, cell } : null
}

const PLAIN: Readonly<Record<string, Read>> = {
  BOOLEAN: (value) => String(Boolean(value)),
  INT32: String,
  INT64: String,
  INT96: (value) => instantText(divided(value as bigint, 1_000n), true),
  FLOAT: numberText,
  DOUBLE: numberText,
}

function logicalReader(element: SchemaElement): Read | null {
  const { converted_type: converted, logical_type: logical, scale } = element
  switch (logical?.type ?? converted) {
    case 'DECIMAL':
      return decimalReader(logical?.type === 'DECIMAL' ? logical.scale : (scale ?? 0))
    case 'DATE':
      return (value) => ({ text: new Date(Number(value) * DAY_MS).toISOString().slice(0, 10), type: 'date' })
    case 'UUID':
      return (value) => ({ text: uuidText(value as Uint8Array), type: 'string' })
    default:
      return momentReader(element)
  }
}

function decimalReader(scale: number): Read {
  return (value) => decimalText(value instanceof Uint8Array ? signed(value) : BigInt(value as bigint), scale)
}

function momentReader({ converted_type: converted, logical_type: logical }: SchemaElement): Read | null {
  const time = logical?.type === 'TIME' ? logical.unit : TIMES[converted ?? '']
  if (time !== undefined) return (value) => timeText(microsOf(value, time))
  if (logical?.type === 'TIMESTAMP')
    return (value) => instantText(microsOf(value, logical.unit), logical.isAdjustedToUTC)
  const timestamp = TIMESTAMPS[converted ?? '']
  // Without the newer annotation it is an instant of UTC.
  return timestamp === undefined ? null : (value) => instantText(microsOf(value, timestamp), true)
}

function textReader(type: 'string' | 'json'): Read {
  return (value) => ({ text: String(value), type })
}

function numberText(value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  // The digits of a large whole number would be taken for an id.
  return Math.abs(value) < WHOLE_MAX ? String(value) : value.toExponential()
}

function microsOf(value: unknown, unit: string): bigint {
  const [times, by] = MICROS[unit] ?? [1n, 1n]
  return divided(BigInt(value as bigint) * times, by)
}

/** Rounded down, also below 0. */
function divided(value: bigint, by: bigint): bigint {
  const rest = ((value % by) + by) % by
  return (value - rest) / by
}

function instantText(micros: bigint, isUtc: boolean): string {
  const seconds = divided(micros, SECOND)
  const text = new Date(Number(seconds) * 1_000).toISOString().slice(0, -5)
  return `${text}${fraction(micros - seconds * SECOND)}${isUtc ? 'Z' : ''}`
}

function timeText(micros: bigint): string {
  return `${new Date(Number(divided(micros, SECOND)) * 1_000).toISOString().slice(11, 19)}${fraction(micros % SECOND)}`
}

function fraction(micros: bigint): string {
  return micros === 0n ? '' : `.${micros.toString().padStart(6, '0').replace(/0+$/, '')}`
}

function signed(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}

/** `-0.05` of -5 with two digits behind the point; `12` of 1200, since a whole number is one. */
function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return `${value}${'0'.repeat(-scale)}`
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const behind = digits.slice(-scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${behind === '' ? '' : `.${behind}`}`
}

function uuidText(bytes: Uint8Array): string {
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
