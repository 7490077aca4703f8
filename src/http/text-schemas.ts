import { isLookback, isTemporalDuration } from '../lib/duration.ts'
import * as z from 'zod'
import { readJson } from '../lib/json.ts'
import { languageOf } from '../lib/language.ts'
import { isTimeZone } from '../lib/time.ts'
import { isInReadingOrder, isStorable, isVisible, storable } from '../lib/text.ts'

/** Text that every database keeps as it is: well-formed Unicode without NUL. */
export const storableText = z.string().refine(isStorable, 'must be Unicode text without NUL')

/** A report, which is never refused: characters that no database keeps become U+FFFD. */
export const reportText = z.string().overwrite(storable)

/** A duration that is not negative; years and months are allowed. */
export const duration = z
  .string()
  .max(64)
  .refine(isTemporalDuration, 'must be an ISO 8601 duration')
  .refine((text) => !isTemporalDuration(text) || isLookback(text), 'must be at most P1000Y')
  .meta({ format: 'duration' })

export const timeZone = z.string().max(64).refine(isTimeZone, 'must be a time zone')

/** A name; surrounding spaces are dropped, as in segments of a path. */
export const nameSchema = storableText
  .trim()
  .min(1, { abort: true })
  .max(255)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')
  .refine(isVisible, 'must have a visible character')
  .refine(isInReadingOrder, 'must have no characters that change the direction of text')

/** A composed name (NFC): names that look the same are equal. */
export const composedName = nameSchema.overwrite((text) => text.normalize('NFC'))

/** A language tag in canonical form (BCP 47). */
export const languageTag = z
  .string()
  .refine((text) => languageOf(text) === text, 'must be a language tag such as de or de-CH')

/** A field of a form that is JSON of a schema. */
export function jsonField<S extends z.ZodType>(schema: S) {
  return z.string().transform(readJson).pipe(schema)
}
