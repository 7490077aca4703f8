import { expect } from 'bun:test'

import type { Answer, Body, Client } from './client.ts'
import { nextOf } from './objects.ts'
import { bareStage, expectAnswer, good, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Text = { readonly key: string; readonly text: string | null }

const auto = (json: object): Body => ({ source: 'en', targets: ['de'], texts: [], ...json })
const texts = (count: number, length = 1): Text[] =>
  Array.from({ length: count }, (_, place) => ({ key: `k${place}`, text: '1'.repeat(length) }))

/** Faults in texts of a language. */
const FAULTS: readonly (readonly [title: string, body: object, pointers: readonly string[]])[] = [
  ['no texts', {}, ['/texts']],
  ['texts that are null', { texts: null }, ['/texts']],
  ['an unknown field', { texts: [], language: 'de' }, ['/language']],
  ['an unknown field of a text', { texts: [{ key: 'a', text: 'b', x: 1 }] }, ['/texts/0/x']],
  ['no key', { texts: [{ text: 'b' }] }, ['/texts/0/key']],
  ['an empty key', { texts: [{ key: '', text: 'b' }] }, ['/texts/0/key']],
  ['a key of 256 characters', { texts: [{ key: 'k'.repeat(256), text: 'b' }] }, ['/texts/0/key']],
  ['a key with a line break', { texts: [{ key: 'a\nb', text: 'b' }] }, ['/texts/0/key']],
  ['no text', { texts: [{ key: 'a' }] }, ['/texts/0/text']],
  ['a text of 10,001 characters', { texts: [{ key: 'a', text: 'x'.repeat(10_001) }] }, ['/texts/0/text']],
  ['half a character', { texts: [{ key: 'a', text: '\ud800' }] }, ['/texts/0/text']],
  ['a NUL', { texts: [{ key: 'a', text: 'a\0' }] }, ['/texts/0/text']],
  [
    'a key twice',
    {
      texts: [
        { key: 'a', text: 'b' },
        { key: 'c', text: 'd' },
        { key: 'a', text: null },
      ],
    },
    ['/texts/2/key'],
  ],
  ['5,001 texts', { texts: texts(5_001) }, ['/texts']],
]

const AUTOMATIC_FAULTS: readonly (readonly [title: string, body: object, pointers: readonly string[]])[] = [
  ['no targets', { targets: [] }, ['/targets']],
  ['11 targets', { targets: 'abcdefghijk'.split('').map((letter) => `a${letter}`) }, ['/targets']],
  ['a target twice', { targets: ['de-ch', 'de-CH'] }, ['/targets']],
  ['a source that is none', { source: 'auto' }, ['/source']],
  ['201 texts', { texts: texts(201) }, ['/texts']],
  ['a text of 5,001 characters', { texts: texts(1, 5_001) }, ['/texts/0/text']],
  ['50,001 characters', { texts: [...texts(10, 5_000), { key: 'x', text: '1' }] }, ['/texts']],
  ['another format', { format: 'xml' }, ['/format']],
  ['a text that is null', { texts: [{ key: 'a', text: null }] }, ['/texts/0/text']],
  [
    'a language that the provider does not know',
    { targets: ['fr', 'xx'], texts: [{ key: 'a', text: 'word' }] },
    ['/targets/1'],
  ],
]

const rows: readonly Row[] = [
  ...[
    'GET /translations',
    'GET /translations/de',
    'POST /translations/de',
    'PUT /translations/de',
    'POST /translations/auto',
  ].map((call): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    answers: 'unauthenticated',
  })),
  ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).flatMap((as): Row[] => [
    { title: as, call: 'GET /translations', as, answers: 200 },
    { title: as, call: 'GET /translations/de', as, answers: 200 },
    { title: as, call: 'POST /translations/de', as, json: { texts: [] }, answers: 'forbidden' },
    { title: as, call: 'PUT /translations/de', as, json: { texts: [] }, answers: 'forbidden' },
    {
      title: as,
      call: 'POST /translations/auto',
      as,
      json: auto({}),
      answers: as === 'editor' ? 200 : 'forbidden',
    },
    { title: as, call: 'POST /translations/auto', as, json: auto({ save: true }), answers: 'forbidden' },
  ]),
  ...['german', '1', 'd', '%2e%2e%2fx', 'de%00', 'de_DE', '__proto__', 'de--x', 'x'.repeat(300)].flatMap(
    (language) =>
      ['GET', 'POST', 'PUT'].map((method): Row => ({
        title: 'no language',
        call: `${method} /translations/${language}`,
        ...(method === 'GET' ? {} : { json: { texts: [] } }),
        answers: 'invalid',
        pointers: ['{language}'],
      })),
  ),
  { title: 'no page', call: 'GET /translations/de?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /translations/de?limit=1000', answers: 200 },
  {
    title: 'a larger page',
    call: 'GET /translations/de?limit=1001',
    answers: 'invalid',
    pointers: ['?limit'],
  },
  {
    title: 'a foreign cursor',
    call: 'GET /translations/de?cursor=NQ',
    answers: 'invalid',
    pointers: ['?cursor'],
  },
  ...FAULTS.flatMap(([title, json, pointers]) =>
    ['POST', 'PUT'].map((method): Row => ({
      title,
      call: `${method} /translations/de`,
      json,
      answers: 'invalid',
      pointers,
    })),
  ),
  ...AUTOMATIC_FAULTS.map(([title, json, pointers]): Row => ({
    title,
    call: 'POST /translations/auto',
    json: auto(json),
    answers: 'invalid',
    pointers,
  })),
  ...['POST /translations/de', 'PUT /translations/de', 'POST /translations/auto'].map((call): Row => ({
    title: 'more than 512 KiB',
    call,
    text: JSON.stringify(call.endsWith('auto') ? auto({}) : { texts: [] }).padEnd(512 * 1024 + 1),
    headers: { 'content-type': 'application/json' },
    answers: 'too_large',
  })),
  { title: '200 texts', call: 'POST /translations/auto', json: auto({ texts: texts(200) }), answers: 200 },
  {
    title: '50,000 characters',
    call: 'POST /translations/auto',
    json: auto({ texts: texts(10, 5_000) }),
    answers: 200,
  },
  {
    title: 'too many questions',
    call: 'POST /translations/auto',
    json: auto({ texts: [{ key: 'a', text: 'slow down' }] }),
    answers: 'too_fast',
  },
  {
    title: 'a provider that fails',
    call: 'POST /translations/auto',
    json: auto({ texts: [{ key: 'a', text: 'fails' }] }),
    answers: 'unavailable',
  },
]

const scenarios: Scenario[] = [
  {
    title: 'an empty text array changes nothing, or leaves nothing where it is all there shall be',
    decidedAbovePorts: 'translations',
    async run(client) {
      await set(client, 'POST', 'it', [{ key: 'a', text: 'uno' }])
      expect(await set(client, 'POST', 'it', [])).toEqual({ updated: 0 })
      expect(await read(client, 'it')).toEqual([{ key: 'a', text: 'uno' }])
      expect(await set(client, 'PUT', 'it', [])).toEqual({ updated: 1 })
      expect(await set(client, 'PUT', 'it', [])).toEqual({ updated: 0 })
      expect(await read(client, 'it')).toEqual([])
      expect((await languages(client)).map(({ language }) => language)).not.toContain('it')
    },
  },
  {
    title: 'texts are set, changed and taken away by their keys, and replaced as a whole',
    decidedAbovePorts: 'translations',
    async run(client) {
      const first = [
        { key: 'menu.home', text: 'Start' },
        { key: 'a', text: '' },
        { key: 'ü "\\', text: 'é\n🌊' },
      ]
      expect(await set(client, 'POST', 'de-ch', first)).toEqual({ updated: 3 })
      const change = [
        { key: 'a', text: null },
        { key: 'menu.home', text: 'Start' },
        { key: 'gone', text: null },
        { key: 'b', text: 'B' },
      ]
      expect(await set(client, 'POST', 'de-CH', change)).toEqual({ updated: 2 })
      expect(await read(client, 'DE-CH')).toEqual([
        { key: 'b', text: 'B' },
        { key: 'menu.home', text: 'Start' },
        { key: 'ü "\\', text: 'é\n🌊' },
      ])
      const found = (await languages(client)).find(({ language }) => language === 'de-CH')
      expect(found).toMatchObject({ count: 3 })
      expect(await set(client, 'PUT', 'de-CH', [{ key: 'b', text: 'C' }])).toEqual({ updated: 3 })
      expect(await read(client, 'de-CH')).toEqual([{ key: 'b', text: 'C' }])
      await set(client, 'PUT', 'de-CH', [])
    },
  },
  {
    title: 'a language has 5,000 texts at most, which pages show once each',
    decidedAbovePorts: 'translations',
    async run(client) {
      expect(await set(client, 'PUT', 'nl', texts(5_000))).toEqual({ updated: 5_000 })
      const more = { json: { texts: [{ key: 'more', text: 'x' }] } }
      expectAnswer(await client.request('POST', '/translations/nl', more), { answers: 'conflict' })
      expect(
        await set(client, 'POST', 'nl', [
          { key: 'more', text: 'x' },
          { key: 'k0', text: null },
        ]),
      ).toEqual({ updated: 2 })
      const keys: string[] = []
      for (let next: string | null = '/translations/nl?limit=999'; next !== null;) {
        const answer: Answer = await client.request('GET', next)
        keys.push(...(answer.body['texts'] as Text[]).map(({ key }) => key))
        next = nextOf(answer)
      }
      expect(keys.length).toBe(5_000)
      expect(new Set(keys).size).toBe(5_000)
      expect(keys).toEqual(keys.toSorted())
      const whole = await good<{ texts: Text[] }>(client.request('GET', '/translations/nl'))
      expect(whole.texts.map(({ key }) => key)).toEqual(keys)
      await set(client, 'PUT', 'nl', [])
    },
  },
  {
    title: 'the record tells what texts were and are, or of many how many',
    decidedAbovePorts: 'translations',
    async run(client) {
      const recorded = async () => {
        const path = '/audit?objectType=translation&objectId=pt-BR&limit=1'
        const { items } = await good<{ items: { before: Body; after: Body }[] }>(client.request('GET', path))
        return [items[0]?.before['texts'], items[0]?.after['texts']]
      }
      await set(client, 'POST', 'pt-BR', [
        { key: 'a', text: 'um' },
        { key: 'b', text: 'dois' },
      ])
      await set(client, 'POST', 'pt-BR', [
        { key: 'a', text: 'uno' },
        { key: 'b', text: null },
        { key: 'c', text: null },
      ])
      expect(await recorded()).toEqual([{ a: 'um', b: 'dois' }, { a: 'uno' }])
      await set(client, 'PUT', 'pt-BR', texts(99))
      expect(((await recorded())[0] as Body)['a']).toBe('uno')
      await set(client, 'PUT', 'pt-BR', [])
      // As much as the largest texts come to.
      for (let from = 0; from < 200; from += 50) {
        const large = texts(50, 10_000).map(({ text }, place) => ({ key: `large ${from + place}`, text }))
        await set(client, 'POST', 'pt-BR', large)
      }
      expect(await set(client, 'PUT', 'pt-BR', [])).toEqual({ updated: 200 })
      expect(await recorded()).toEqual(['200 texts', '0 texts'])
    },
  },
  {
    title: 'there are texts in 200 languages at most, and more texts in those',
    decidedAbovePorts: 'translations',
    async run(client) {
      const one = [{ key: 'a', text: 'b' }]
      const added: string[] = []
      for (let total = (await languages(client)).length; total < 200; total++) {
        // For private use.
        added.push(
          `q${'abcdefghijklmnopqrst'[Math.floor(added.length / 26)]}${String.fromCharCode(97 + (added.length % 26))}`,
        )
        await set(client, 'PUT', String(added.at(-1)), one)
      }
      const more = { json: { texts: one } }
      for (const method of ['POST', 'PUT'])
        expectAnswer(await client.request(method, '/translations/qtz', more), { answers: 'conflict' })
      await set(client, 'POST', String(added[0]), [{ key: 'c', text: 'd' }])
      for (const language of added) await set(client, 'PUT', language, [])
      await set(client, 'POST', 'qtz', one)
      await set(client, 'PUT', 'qtz', [])
    },
  },
  {
    title: 'machines translate into several languages, with placeholders as they were, and are asked once',
    async run(client) {
      const asked = auto({
        targets: ['de', 'fr'],
        texts: [
          { key: 'k', text: 'Hello ${name}' },
          { key: 'same', text: 'Hello ${name}' },
          { key: 'none', text: '{only} %s' },
          { key: 'turned', text: 'turn {a} and {b}' },
        ],
      })
      const first = await good<Body>(client.request('POST', '/translations/auto', { json: asked }))
      const inGerman = [
        { key: 'k', text: 'de: Hello ${name}', cached: false },
        { key: 'same', text: 'de: Hello ${name}', cached: false },
        { key: 'none', text: '{only} %s', cached: false },
        { key: 'turned', text: 'de: turn {a} and {b}', cached: false },
      ]
      expect(first).toMatchObject({ provider: 'libretranslate', results: { de: inGerman } })
      expect(first['characters']).toBe(2 * ('Hello [[0]]'.length + 'turn [[0]] and [[1]]'.length))
      const again = await good<Body>(client.request('POST', '/translations/auto', { json: asked }))
      expect(again['characters']).toBe(0)
      expect(
        (again['results'] as Record<string, { cached: boolean }[]>)['fr']?.map(({ cached }) => cached),
      ).toEqual([true, true, false, true])
    },
  },
  {
    title:
      'a text whose placeholders get lost, or that brings in markup, is told and not kept; the others are',
    decidedAbovePorts: 'translations',
    async run(client) {
      const json = auto({
        save: true,
        format: 'html',
        texts: [
          { key: 'auto.lost', text: 'lose {a}' },
          { key: 'auto.injected', text: 'inject <b>this</b>' },
          { key: 'auto.good', text: 'A <b>bold</b> word&nbsp;' },
        ],
      })
      const { results } = await good<{ results: Record<string, object[]> }>(
        client.request('POST', '/translations/auto', { json }),
      )
      expect(results['de']).toEqual([
        { key: 'auto.lost', text: null, cached: false, problem: 'placeholder_lost' },
        { key: 'auto.injected', text: null, cached: false, problem: 'placeholder_lost' },
        { key: 'auto.good', text: 'de: A <b>bold</b> word&nbsp;', cached: false },
      ])
      expect((await read(client, 'de')).filter(({ key }) => key.startsWith('auto.'))).toEqual([
        { key: 'auto.good', text: 'de: A <b>bold</b> word&nbsp;' },
      ])
      const { items } = await good<{ items: Body[] }>(
        client.request('GET', '/audit?objectType=translation&objectId=de&limit=1'),
      )
      expect(items[0]?.['after']).toEqual({ texts: { 'auto.good': 'de: A <b>bold</b> word&nbsp;' } })
    },
  },
  {
    title: 'a provider that is asked too often says when to come again',
    async run(client) {
      const json = auto({ texts: [{ key: 'a', text: 'slow down' }] })
      const answer = await client.request('POST', '/translations/auto', { json })
      expect(answer.headers.get('retry-after')).toBe('77')
    },
  },
]

function set(
  client: Client,
  method: string,
  language: string,
  list: readonly Text[],
): Promise<Readonly<Body>> {
  return good(client.request(method, `/translations/${language}`, { json: { texts: list } }))
}

async function read(client: Client, language: string): Promise<Text[]> {
  const { texts: found } = await good<{ texts: Text[] }>(
    client.request('GET', `/translations/${language}`, { as: 'collector' }),
  )
  return found
}

async function languages(client: Client) {
  const found = await good(client.request('GET', '/translations'))
  return found as unknown as { language: string; count: number }[]
}

export const translationsSuite: Suite = {
  name: 'translations',
  scenarios: [...table(bareStage, rows), ...scenarios],
}
