import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { withoutRepeats } from '../../http/lists.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
import { storableText } from '../../http/text-schemas.ts'
import { languageOf } from '../../lib/language.ts'

/** The maximum number of texts of one language. */
export const KEYS_MAX = 5_000
/** The maximum length of a text. */
export const TEXT_MAX = 10_000
export const LIMIT_MAX = 1_000

/** Canonical; empty for a text that is not a language tag. */
export const languagePath = z.object({
  language: z
    .string()
    .transform((text) => languageOf(text) ?? '')
    .meta({ type: 'string' }),
})

export const translationKey = storableText
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')

const text = storableText.max(TEXT_MAX)

export const textsBody = z.strictObject({
  texts: z
    .array(
      z.strictObject({ key: translationKey, text: text.nullable().describe('The text; null removes it.') }),
    )
    .max(KEYS_MAX)
    .superRefine(withoutRepeats('key')),
})

export const textsQuery = z.object({
  limit: pageLimit(LIMIT_MAX).optional().describe('Number of texts in a page; all texts if absent.'),
  cursor: linkCursor,
})

export const languageView = z
  .object({
    language: z.string(),
    count: z.int().describe('Number of texts.'),
    updatedAt: timestamp,
  })
  .meta({ id: 'Language' })

export const translationView = z
  .object({ language: z.string(), texts: z.array(z.object({ key: z.string(), text: z.string() })) })
  .meta({ id: 'Translation' })

export const updatedView = z.object({
  updated: z.int().describe('Number of texts that were changed or removed.'),
})

export type Texts = z.infer<typeof textsBody>['texts']
export type LanguageView = z.infer<typeof languageView>
