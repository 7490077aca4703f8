import type { DataPoint } from './otlp-point.ts'
import { note } from './points.ts'
import type { Naming } from './points.ts'
import { isJsonObject } from '../../lib/json.ts'

/** 19 digits: from 2001 to 2286, below the greatest integer of 64 bits. */
const NANOSECONDS = /^[1-9]\d{18}$/
const MS_DIGITS = 13

/** A point of a gauge or a sum as exporters write it: its time as a text, its number as a number, its attributes as texts. Null
 * for all else, valid or not, which the schema reads. The schema takes a multiple of the time. */
export function plainPoint(given: unknown): DataPoint | null {
  if (!isJsonObject(given)) return null
  const { attributes = NONE, timeUnixNano, flags = 0, asDouble, asInt } = given
  if (!isFinite(asDouble) || asInt !== undefined || flags !== 0) return null
  if (typeof timeUnixNano !== 'string' || !NANOSECONDS.test(timeUnixNano)) return null
  const naming = plainNaming(attributes)
  if (!naming) return null
  const at = Number(timeUnixNano.slice(0, MS_DIGITS))
  return { naming, at, number: asDouble, count: 0, sum: null, flags }
}

const NONE: readonly unknown[] = []

/** Null where a value is not a text. */
function plainNaming(attributes: unknown): Naming | null {
  if (!Array.isArray(attributes)) return null
  const naming: Naming = { job: null, value: null }
  for (const attribute of attributes as readonly unknown[]) {
    if (!isJsonObject(attribute)) return null
    const { key, value } = attribute
    if (typeof key !== 'string' || !isJsonObject(value)) return null
    const { stringValue, intValue } = value
    if (typeof stringValue !== 'string' || intValue !== undefined) return null
    note(naming, key, stringValue)
  }
  return naming
}

/** JSON has numbers beyond the range of a double. */
function isFinite(given: unknown): given is number {
  return Number.isFinite(given)
}
