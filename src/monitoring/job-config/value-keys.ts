import type { Value } from '../../domain/delivery.ts'
import type { JobRules } from '../../domain/job-rules.ts'
import { VALUES_MAX } from './schema.ts'

const NUMBER = 'returnValue'
const TEXT = 'stringValue'

/** Whether the job defines a value of this key. */
export function isDefined(
  { divisors, textCount }: Pick<JobRules, 'divisors' | 'textCount'>,
  key: string,
): boolean {
  const { place, isNumber } = partsOf(key)
  return place <= (isNumber ? divisors.length : textCount)
}

/** The user value of a raw value: numbers are divided by the value's divisor. */
export function userValue(rules: Pick<JobRules, 'divisors'>, key: string, raw: Value): Value {
  return typeof raw === 'string' ? raw : raw / divisorOf(rules, key)
}

/** The divisor of a key; 1 if it has none. */
export function divisorOf({ divisors }: Pick<JobRules, 'divisors'>, key: string): number {
  const { place, isNumber } = partsOf(key)
  return isNumber ? (divisors[place - 1] ?? 1) : 1
}

/** The parts of a key: whether its values are numbers, and its number. */
type KeyParts = { readonly isNumber: boolean; readonly place: number }

/** Parsed keys. Each delivery asks for its keys several times, and deliveries mostly have the same keys. */
const known = new Map<string, KeyParts>()
let lastKey = ''
let lastParts: KeyParts = { isNumber: false, place: 0 }

function partsOf(key: string): KeyParts {
  if (key === lastKey) return lastParts
  const isNumber = key.startsWith(NUMBER)
  const parts = known.get(key) ?? { isNumber, place: Number(key.slice((isNumber ? NUMBER : TEXT).length)) }
  if (parts.place <= VALUES_MAX) known.set(key, parts)
  lastKey = key
  lastParts = parts
  return parts
}
