/** What a provider of translations was asked. */
export type Asked = { readonly path: string; readonly authorization: string | null; readonly body: Body }

type Body = Readonly<Record<string, unknown>>

const LANGUAGES = ['de', 'de-CH', 'fr', 'en', 'ja']

/** How texts that begin so are answered, in place of a translation. */
const ANSWERS: Readonly<Record<string, () => Response | Promise<Response>>> = {
  'slow down': () => new Response('{}', { status: 429, headers: { 'retry-after': '77' } }),
  'slow down badly': () => new Response('{}', { status: 429, headers: { 'retry-after': 'soon' } }),
  quota: () => new Response('{}', { status: 456 }),
  fails: () => new Response('{}', { status: 500 }),
  'no key': () => new Response('{}', { status: 403 }),
  moves: () => new Response(null, { status: 307, headers: { location: '/elsewhere' } }),
  'too few': () => Response.json({ translatedText: [], translations: [] }),
  'no json': () => new Response('<h1>Welcome</h1>'),
  long: () =>
    Response.json({ translatedText: ['x'.repeat(10_001)], translations: [{ text: 'x'.repeat(10_001) }] }),
  huge: () =>
    Response.json({
      translatedText: ['x'.repeat(2_000_000)],
      translations: [{ text: 'x'.repeat(2_000_000) }],
    }),
}

/** A provider on this machine that speaks LibreTranslate and DeepL. It translates `Hello [[0]]` into `de: Hello [[0]]`. */
export function startTranslator() {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const isJson = request.headers.get('content-type') === 'application/json'
      if (request.method !== 'POST' || !isJson) return new Response(null, { status: 405 })
      const body = (await request.json()) as Body
      asked.push({ path, authorization: request.headers.get('authorization'), body })
      const isDeepl = path === '/v2/translate'
      if (!isDeepl && path !== '/translate') return new Response(null, { status: 404 })
      const texts = (isDeepl ? body['text'] : body['q']) as string[]
      const target = languageOf(String(isDeepl ? body['target_lang'] : body['target']))
      if (target === undefined) return Response.json({ error: 'not supported' }, { status: 400 })
      const special = ANSWERS[texts[0] ?? '']
      if (special) return special()
      const translated = texts.map((text) => `${target}: ${changed(text)}`)
      return isDeepl
        ? Response.json({
            translations: translated.map((text) => ({ detected_source_language: 'EN', text })),
          })
        : Response.json({ translatedText: translated })
    },
  })
  return { url: server.url.origin, asked, close: () => server.stop(true) }
}

function languageOf(code: string): string | undefined {
  return LANGUAGES.find((one) => one.toLowerCase() === code.toLowerCase())
}

/** What bad translations do to marks. */
function changed(text: string): string {
  if (text.startsWith('lose')) return text.replaceAll(/\[\[\d\]\]/g, '')
  if (text.startsWith('inject')) return `${text}<script>`
  if (text.startsWith('turn')) return text.replaceAll(/\[\[(\d)\]\]/g, '[[ $1 ]]')
  return text
}
