import * as z from 'zod'
import { withoutRepeats } from '../../../http/lists.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { areDistinct } from '../../../lib/same.ts'
import { languageOf } from '../../../lib/language.ts'
import { translationKey } from '../schema.ts'

const TEXTS_MAX = 200
const TEXT_MAX = 5_000
const CHARACTERS_MAX = 50_000
const TARGETS_MAX = 10

const language = z
  .string()
  .refine((text) => languageOf(text) !== null, 'must be a language tag such as de or de-CH')
  .transform((text) => languageOf(text) ?? text)

const text = storableText.max(TEXT_MAX)

export const automaticBody = z.strictObject({
  source: language,
  targets: z.array(language).min(1).max(TARGETS_MAX).refine(areDistinct, 'must not contain a language twice'),
  texts: z
    .array(z.strictObject({ key: translationKey, text }))
    .max(TEXTS_MAX)
    .superRefine(withoutRepeats('key'))
    .refine(
      (texts) => texts.reduce((sum, one) => sum + one.text.length, 0) <= CHARACTERS_MAX,
      `must have at most ${CHARACTERS_MAX} characters in total`,
    ),
  format: z
    .enum(['text', 'html'])
    .default('text')
    .describe('With html, tags and entities are not translated.'),
  save: z.boolean().default(false).describe('Whether the translations are saved; requires an administrator.'),
})

const resultView = z.object({
  key: z.string(),
  text: z.string().nullable().describe('The translation; null if there is a problem.'),
  cached: z.boolean().describe('Whether the translation came from the cache instead of the provider.'),
  problem: z
    .literal('placeholder_lost')
    .optional()
    .describe('The provider lost or invented a placeholder, so the translation was dropped.'),
})

export const automaticView = z
  .object({
    results: z
      .record(z.string(), z.array(resultView))
      .describe('The results by language, in the order of the texts.'),
    provider: z.string(),
    characters: z.int().describe('Number of characters that were sent to the provider.'),
  })
  .meta({ id: 'AutomaticTranslation' })

export type AutomaticBody = z.infer<typeof automaticBody>
export type AutomaticView = z.infer<typeof automaticView>
export type ResultView = z.infer<typeof resultView>
