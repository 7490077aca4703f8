import * as z from 'zod'
import { areDistinct } from '../../../lib/same.ts'
import { languageTag } from '../../../http/text-schemas.ts'

const TARGETS_MAX = 10
/** Texts of one request, and their characters, as `POST /translations/auto` takes them. */
export const TEXTS_MAX = 200
export const CHARACTERS_MAX = 50_000

export const translateBody = z
  .strictObject({
    source: languageTag.default('en').describe('The language of the original texts.'),
    targets: z
      .array(languageTag)
      .min(1)
      .max(TARGETS_MAX)
      .refine(areDistinct, 'must not contain a language twice')
      .describe('The languages that get the missing texts.'),
  })
  .refine(({ source, targets }) => !targets.includes(source), {
    path: ['targets'],
    message: 'must not contain the language of the original texts',
  })
  .meta({ examples: [{ source: 'en', targets: ['de'] }] })

export const translateView = z
  .object({
    version: z.int().describe('The version of the dashboard with the new texts.'),
    added: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe('The new texts by language and path.')
      .meta({ examples: [{ de: { name: 'Werk Nord' } }] }),
    left: z
      .array(
        z.object({
          language: z.string(),
          path: z.string().meta({ examples: ['widgets.w1.markdown'] }),
          reason: z
            .enum(['too_long', 'placeholder_lost', 'later'])
            .describe(
              '`too_long`: over 4,000 characters; `placeholder_lost`: the provider lost a placeholder; `later`: beyond 200 texts or 50,000 characters of one request.',
            ),
        }),
      )
      .describe('The texts that are still missing.'),
    provider: z.string(),
    characters: z.int().describe('Number of characters that were sent to the provider.'),
  })
  .meta({ id: 'DashboardTranslation' })

export type TranslateBody = z.output<typeof translateBody>
export type TranslateView = z.output<typeof translateView>
