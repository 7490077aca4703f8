import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { settingsBody } from '../../src/content/settings/schema.ts'
import { replaceSettings } from '../../src/content/settings/service.ts'
import { automaticBody } from '../../src/content/translations/automatic/schema.ts'
import { sweepTranslations, translateTexts } from '../../src/content/translations/automatic/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import { translatorOfAi } from '../../workers/edge/workers-ai.ts'
import { secretsOf } from '../../workers/secrets.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { startTranslator } from '../hosts/translator.ts'

const DAY_MS = 86_400_000
const PROVIDERS = ['libretranslate', 'deepl'] as const

let provider: ReturnType<typeof startTranslator>
let opened: Awaited<ReturnType<typeof openPorts>>

beforeEach(async () => {
  provider = startTranslator()
  opened = await openPorts({ translation: { provider: 'libretranslate', url: provider.url } })
})
afterEach(async () => {
  await provider.close()
  await opened.close()
})

describe.each(PROVIDERS)('a provider that speaks %s', (name) => {
  const ports = () => speaking(name)

  test('is asked as its protocol says, with the key that the settings have', async () => {
    await setKey(ports(), 'the-key')
    const answer = await translate(ports(), {
      source: 'en-GB',
      targets: ['de-CH'],
      texts: ['Hello {a}', 'You'],
    })
    expect(answer.provider).toBe(name)
    expect(answer.results['de-CH']?.map(({ text }) => text)).toEqual(['de-CH: Hello {a}', 'de-CH: You'])
    expect(provider.asked).toEqual([
      name === 'deepl'
        ? {
            path: '/v2/translate',
            authorization: 'DeepL-Auth-Key the-key',
            body: {
              text: ['Hello [[0]]', 'You'],
              source_lang: 'EN',
              target_lang: 'DE-CH',
              preserve_formatting: true,
              split_sentences: '0',
            },
          }
        : {
            path: '/translate',
            authorization: null,
            body: {
              q: ['Hello [[0]]', 'You'],
              source: 'en-GB',
              target: 'de-CH',
              format: 'text',
              api_key: 'the-key',
            },
          },
    ])
  })

  test('is asked without a key where there is none', async () => {
    await translate(ports(), { texts: ['Hello'] })
    expect(provider.asked[0]?.authorization).toBeNull()
    expect(provider.asked[0]?.body).not.toHaveProperty('api_key')
  })

  test('is given 50 texts at once, and what came back counts even if the next call fails', async () => {
    const texts = Array.from({ length: 60 }, (_, place) => (place === 50 ? 'fails' : `Text ${place}`))
    expect(await rejection(translate(ports(), { texts }))).toMatchObject({ code: 'unavailable' })
    expect(provider.asked.map(({ body }) => ((body['q'] ?? body['text']) as string[]).length)).toEqual([
      50, 10,
    ])
    const { results, characters } = await translate(ports(), { texts: texts.slice(0, 50) })
    expect(results['de']?.every(({ cached }) => cached)).toBe(true)
    expect(characters).toBe(0)
  })

  test.each([
    ['slow down', { code: 'too_fast', retryAfterS: 77 }],
    ['slow down badly', { code: 'too_fast', retryAfterS: 10 }],
    ['fails', { code: 'unavailable' }],
    [
      'no key',
      {
        code: 'unavailable',
        detail: 'The translation provider rejects the key. Correct translation.apiKey in the settings.',
      },
    ],
    ['moves', { code: 'unavailable' }],
    ['too few', { code: 'unavailable' }],
    ['no json', { code: 'unavailable' }],
    ['long', { code: 'unavailable' }],
    ['huge', { code: 'unavailable' }],
    ['quota', name === 'deepl' ? { code: 'too_fast', retryAfterS: 86_400 } : { code: 'unavailable' }],
  ])('that answers %p is told of, and nothing is remembered', async (text, refusal) => {
    expect(await rejection(translate(ports(), { texts: [text] }))).toMatchObject(refusal)
    expect(await cachedCount(ports())).toBe(0)
    expect(provider.asked.map(({ path }) => path)).not.toContain('/elsewhere')
  })

  test('that does not know a language is told of at that language', async () => {
    const refusal = await rejection(translate(ports(), { targets: ['de', 'xx'], texts: ['Hello'] }))
    expect(refusal).toMatchObject({ code: 'invalid', errors: [{ pointer: '/targets/1' }] })
  })
})

test('a provider that is away is told of', async () => {
  await provider.close()
  expect(await rejection(translate(opened.ports, { texts: ['Hello'] }))).toMatchObject({
    code: 'unavailable',
  })
})

test('what one provider made, from one language, is not taken for what another would', async () => {
  await translate(speaking('deepl'), { texts: ['Hello'] })
  const others = [
    await translate(speaking('libretranslate'), { texts: ['Hello'] }),
    await translate(speaking('deepl'), { source: 'fr', texts: ['Hello'] }),
    await translate(speaking('deepl'), { targets: ['fr'], texts: ['Hello'] }),
    await translate(speaking('deepl'), { format: 'html', texts: ['Hello'] }),
  ]
  expect(others.flatMap(({ results }) => Object.values(results).flat()).map(({ cached }) => cached)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('translations are remembered for 90 days', async () => {
  const { ports, clock } = opened
  await translate(ports, { texts: ['Hello'] })
  clock.at += 90 * DAY_MS
  await sweepTranslations(ports)
  expect(await cachedCount(ports)).toBe(1)
  clock.at += 1
  await sweepTranslations(ports)
  expect(await cachedCount(ports)).toBe(0)
})

test('100,000 translations are remembered, and of more the latest', async () => {
  const { ports, clock } = opened
  const fill = (from: number, count: number) =>
    ports.database.run(
      `insert into translation_cache (provider, source, target, digest, text, at)
       with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${from + count})
       select 'p', 'en', 'de', i, '', ${clock.at} + i from n`,
    )
  await fill(0, 100_000)
  await sweepTranslations(ports)
  expect(await cachedCount(ports)).toBe(100_000)
  await fill(100_000, 10)
  await sweepTranslations(ports)
  expect(await cachedCount(ports)).toBe(100_000)
  const [row] = await ports.database.all<{ at: number }>('select min(at) at from translation_cache')
  expect(row?.at).toBe(clock.at + 10)
})

describe('where no provider is set', () => {
  test('translation is refused as not set up', async () => {
    const ports = unset(opened.ports)
    expect(await rejection(translate(ports, { texts: ['Hello'] }))).toMatchObject({ code: 'not_configured' })
  })

  test('Workers AI translates, if the host brings it', async () => {
    const asked: object[] = []
    const run = (model: string, input: object) => {
      asked.push({ model, ...input })
      return Promise.resolve({ translated_text: `x ${(input as { text: string }).text}` })
    }
    const ports = { ...unset(opened.ports), translator: translatorOfAi({ run }) }
    const texts = ['Hello {a}', 'b', 'c', 'd', 'e']
    const answer = await translate(ports, { source: 'en-GB', targets: ['de-CH'], texts })
    expect(answer.provider).toBe('workers-ai')
    expect(answer.results['de-CH']?.map(({ text }) => text)).toEqual([
      'x Hello {a}',
      'x b',
      'x c',
      'x d',
      'x e',
    ])
    expect(asked[0]).toEqual({
      model: '@cf/meta/m2m100-1.2b',
      text: 'Hello [[0]]',
      source_lang: 'en',
      target_lang: 'de',
    })
    expect(asked).toHaveLength(5)
  })

  test.each([
    ['nothing', () => Promise.resolve({})],
    ['null', () => Promise.resolve(null)],
    ['a failure', () => Promise.reject(new Error('3040: Capacity temporarily exceeded'))],
  ])('Workers AI that answers %s is told of', async (_, run) => {
    const ports = { ...unset(opened.ports), translator: translatorOfAi({ run }) }
    expect(await rejection(translate(ports, { texts: ['Hello'] }))).toMatchObject({ code: 'unavailable' })
  })

  test('Workers AI that does not answer is given up with the signal', async () => {
    const translator = translatorOfAi({ run: () => new Promise(() => undefined) })
    const stop = new AbortController()
    const asked = translator.translate(['Hello'], { source: 'en', target: 'de' }, stop.signal)
    stop.abort()
    expect(await rejection(asked)).toBeInstanceOf(Error)
  })
})

test('a key that was sealed with another installation key is refused', async () => {
  await setKey(opened.ports, 'the-key')
  const secrets = secretsOf(crypto.getRandomValues(new Uint8Array(32)))
  expect(await rejection(translate({ ...opened.ports, secrets }, { texts: ['Hello'] }))).toMatchObject({
    code: 'conflict',
    detail:
      'The API key of the translation provider cannot be decrypted: the installation key has changed or is missing. Enter it again.',
  })
})

type Input = {
  readonly source?: string
  readonly targets?: readonly string[]
  readonly texts: readonly string[]
  readonly format?: 'text' | 'html'
}

function translate(ports: Ports, { texts, ...input }: Input) {
  const keyed = texts.map((text, place) => ({ key: `k${place}`, text }))
  const body = automaticBody.parse({ source: 'en', targets: ['de'], ...input, texts: keyed })
  return translateTexts(administratorOf(ports), body)
}

async function setKey(ports: Ports, apiKey: string): Promise<void> {
  const body = settingsBody.parse({ translation: { apiKey } })
  await replaceSettings(administratorOf(ports), { body, ifMatch: null })
}

function speaking(name: (typeof PROVIDERS)[number]): Ports {
  const { ports } = opened
  return {
    ...ports,
    settings: { ...ports.settings, translation: { provider: name, url: `${provider.url}/` } },
  }
}

function unset(ports: Ports): Ports {
  return { ...ports, settings: { ...ports.settings, translation: null } }
}

async function cachedCount({ database }: Ports): Promise<number> {
  const [row] = await database.all<{ total: number }>('select count(*) total from translation_cache')
  return row?.total ?? 0
}
