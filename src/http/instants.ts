import * as z from 'zod'
import { parseInstant } from '../lib/time.ts'

/** Timestamps are written with four digits for the year, in every zone. */
const INSTANT_MAX = Date.UTC(9999, 11, 31)

/** An instant in a query. */
export const instantQuery = z
  .string()
  .max(64)
  .refine(isInstant, 'must be an ISO 8601 date-time with Z or an offset; write + as %2B')
  .meta({ format: 'date-time' })

function isInstant(text: string): boolean {
  try {
    const at = parseInstant(text)
    return at >= 0 && at < INSTANT_MAX
  } catch {
    return false
  }
}
