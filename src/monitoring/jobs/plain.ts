import { isStorable } from '../../lib/text.ts'
import { isPlainInstant } from '../../lib/time.ts'
import { VALUES_MAX } from '../job-config/schema.ts'
import { ERROR_CODE_MAX, TEXT_MAX } from './schema.ts'
import type { DeliveryBody } from './schema.ts'
import { isJsonObject } from '../../lib/json.ts'

const NUMBERS = new Set(Array.from({ length: VALUES_MAX }, (_, index) => `returnValue${index + 1}`))
const TEXTS = new Set(Array.from({ length: VALUES_MAX }, (_, index) => `stringValue${index + 1}`))

/** Reads a single delivery with the schema's result at a fraction of its cost; null for all bodies that are not simple
 * and certainly acceptable. */
export function plainBody(input: unknown): DeliveryBody | null {
  if (!isJsonObject(input)) return null
  const { errorCode, timestamp } = input
  const body: Record<string, unknown> = {}
  if (errorCode !== undefined) body['errorCode'] = errorCode
  if (timestamp !== undefined) body['timestamp'] = timestamp
  body['signal'] = 'result'
  let isEmpty = true
  for (const key in input) {
    const value = input[key]
    if (!isPlainField(key, value)) return null
    body[key] = value
    if (key !== 'timestamp') isEmpty = false
  }
  return isEmpty ? null : (body as DeliveryBody)
}

/** Whether a field of a delivery is simple and certainly acceptable. */
export function isPlainField(key: string, value: unknown): boolean {
  if (areNumbers(key)) return isNumber(value)
  if (areTexts(key)) return isText(value)
  return key === 'errorCode' ? isErrorCode(value) : key === 'timestamp' && isPlainInstant(value)
}

export function areNumbers(key: string): boolean {
  return NUMBERS.has(key)
}

export function areTexts(key: string): boolean {
  return TEXTS.has(key)
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_MAX && isStorable(value)
}

function isErrorCode(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= ERROR_CODE_MAX
}
