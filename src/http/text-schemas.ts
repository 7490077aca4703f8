import * as z from 'zod'
import { isStorable, storable } from '../lib/text.ts'

/** Text that every database keeps as it is: well-formed Unicode without NUL. */
export const storableText = z.string().refine(isStorable, 'must be Unicode text without NUL')

/** Text that says what happened. It is not refused: what no database keeps becomes U+FFFD. */
export const reportText = z.string().overwrite(storable)
