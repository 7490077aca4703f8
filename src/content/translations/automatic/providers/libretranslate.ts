import * as z from 'zod'
import { jsonOf, postJson } from '../../../../http/json-client.ts'
import type { Network } from '../../../../ports/network.ts'
import type { Translator } from '../../../../ports/translator.ts'
import { ANSWER_MAX_BYTES, refusalOfStatus, unknownLanguage } from './answers.ts'

const answerSchema = z.object({ translatedText: z.array(z.string()) })

/** The protocol of LibreTranslate. */
export function libretranslate(network: Network, url: string, key: string | null): Translator {
  return {
    name: 'libretranslate',
    textsMax: 50,
    async translate(texts, { source, target }, signal) {
      const response = await postJson(network, `${url.replace(/\/$/, '')}/translate`, {
        json: { q: texts, source, target, format: 'text', ...(key === null ? {} : { api_key: key }) },
        signal,
      })
      if (response.status === 400) throw unknownLanguage()
      if (response.status !== 200) throw refusalOfStatus(response)
      return answerSchema.parse(await jsonOf(response, ANSWER_MAX_BYTES)).translatedText
    },
  }
}
