import * as z from 'zod'
import { jsonOf, postJson } from '../../../../http/json-client.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Network } from '../../../../ports/network.ts'
import type { Translator } from '../../../../ports/translator.ts'
import { ANSWER_MAX_BYTES, refusalOfStatus, unknownLanguage } from './answers.ts'

const QUOTA_EXCEEDED = 456
/** A day: the quota is counted by month. */
const QUOTA_RETRY_S = 86_400

const answerSchema = z.object({ translations: z.array(z.object({ text: z.string() })) })

/** The protocol of DeepL, version 2. */
export function deepl(network: Network, url: string, key: string | null): Translator {
  return {
    name: 'deepl',
    textsMax: 50,
    async translate(texts, { source, target }, signal) {
      const response = await postJson(network, `${url.replace(/\/$/, '')}/v2/translate`, {
        json: {
          text: texts,
          // DeepL takes source languages without a region.
          source_lang: source.replace(/-.*/, '').toUpperCase(),
          target_lang: target.toUpperCase(),
          preserve_formatting: true,
          split_sentences: '0',
        },
        headers: key === null ? {} : { authorization: `DeepL-Auth-Key ${key}` },
        signal,
      })
      if (response.status === 400) throw unknownLanguage()
      if (response.status === QUOTA_EXCEEDED)
        throw new Refusal('too_fast', 'The quota of the translation provider is used up.', [], QUOTA_RETRY_S)
      if (response.status !== 200) throw refusalOfStatus(response)
      const { translations } = answerSchema.parse(await jsonOf(response, ANSWER_MAX_BYTES))
      return translations.map(({ text }) => text)
    },
  }
}
