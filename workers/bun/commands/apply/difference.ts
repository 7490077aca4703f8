import { Temporal } from 'temporal-polyfill'
import { isJsonObject } from '../../../../src/lib/json.ts'

/** A field whose value is not the wanted one. */
export type Difference = { readonly path: string; readonly from: unknown; readonly to: unknown }

const DURATION = /^-?P/

/** The fields of `wanted` that `actual` has with another value. Fields that `wanted` does not name are left alone.
 * Durations are compared by their length: PT60M is PT1H. */
export function differences(wanted: unknown, actual: unknown, path = ''): readonly Difference[] {
  if (isJsonObject(wanted) && isJsonObject(actual))
    return Object.entries(wanted).flatMap(([key, value]) =>
      differences(value, actual[key], path === '' ? key : `${path}.${key}`),
    )
  if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length === actual.length)
    return wanted.flatMap((value, index) =>
      differences(value, (actual as unknown[])[index], `${path}[${index}]`),
    )
  return isSame(wanted, actual) ? [] : [{ path, from: actual, to: wanted }]
}

function isSame(wanted: unknown, actual: unknown): boolean {
  if (wanted === actual) return true
  if (wanted === null || wanted === undefined) return actual === null || actual === undefined
  if (typeof wanted !== 'string' || typeof actual !== 'string') return false
  const [one, other] = [lengthOf(wanted), lengthOf(actual)]
  return one !== null && one === other
}

/** The length of a duration in seconds; null for other texts. A day has 24 hours, and months have no length. */
function lengthOf(text: string): number | null {
  if (!DURATION.test(text)) return null
  try {
    return Temporal.Duration.from(text).total({ unit: 'second', relativeTo: '1970-01-01T00:00Z[UTC]' })
  } catch {
    return null
  }
}
