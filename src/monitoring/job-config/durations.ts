import * as z from 'zod'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'

const DURATION_MAX_MS = 366 * 86_400_000

/** An ISO 8601 duration of fixed length, a year at most. */
export const durationText = z
  .string()
  .max(64)
  .refine(isDuration, 'must be an ISO 8601 duration of a year at most, such as PT15M')
  .meta({ format: 'duration' })

/** The same, and longer than zero. */
export const positiveDuration = durationText
  .refine((text) => !isDuration(text) || durationMs(text) > 0, 'must be longer than zero')
  .meta({ format: 'duration' })

/** Whether a text is such a duration. */
export function isDuration(text: string): boolean {
  return isFixedDuration(text, DURATION_MAX_MS)
}
