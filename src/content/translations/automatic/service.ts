import { isAdministrator } from '../../../access/rights/permissions.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Translator } from '../../../ports/translator.ts'
import { readTranslationKey } from '../../settings/service.ts'
import { TEXT_MAX } from '../schema.ts'
import { changesOf, commitTexts } from '../service.ts'
import { hasWords, mask, unmask } from './placeholders.ts'
import type { Masked } from './placeholders.ts'
import { deepl } from './providers/deepl.ts'
import { libretranslate } from './providers/libretranslate.ts'
import type { AutomaticBody, AutomaticView, ResultView } from './schema.ts'
import * as store from './store.ts'
import type { Pair } from './store.ts'

/** Less than a connection may lie idle. */
const TIMEOUT_MS = 25_000
const RETRY_AFTER_S = 10
const CACHED_MS = 90 * DAY_MS
const CACHED_MAX = 100_000

/** Providers are slow; more requests at once would only wait there. */
const slots = new Semaphore(4, 16, 60_000)

/** A text by its key, with its masked form, which is sent to the provider. */
type Item = { readonly key: string; readonly digest: string; readonly masked: Masked }

type Task = {
  readonly translator: Translator
  readonly pair: Pair
  readonly isMarkup: boolean
  readonly signal: AbortSignal
}

/** Translates texts by machine, each language by itself; what was translated within 90 days is not asked for again, also
 * where a call failed before its end. Placeholders stay as they are.
 * @throws {Refusal} not_configured, forbidden for a caller who asks to save and is not an administrator, invalid for languages that
 * the provider does not know, too_fast, unavailable, overloaded, conflict when there is no room to save them, and for an API key
 * that cannot be decrypted */
export async function translateTexts(context: Context, body: AutomaticBody): Promise<AutomaticView> {
  const { ports, caller } = context
  if (body.save && !isAdministrator(caller))
    throw new Refusal('forbidden', 'Only administrators can save translations.')
  const translator = await translatorOf(ports)
  const isMarkup = body.format === 'html'
  const items = await Promise.all(
    body.texts.map(async ({ key, text }) => ({
      key,
      digest: await sha256(`${body.format} ${text}`),
      masked: mask(text, isMarkup),
    })),
  )
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const done = await slots.run(ports.clock, () =>
    Promise.all(
      body.targets.map((target, place) => {
        const pair = { provider: translator.name, source: body.source, target }
        return pointed(place, () => translateInto(ports, { translator, pair, isMarkup, signal }, items))
      }),
    ),
  )
  const results = Object.fromEntries(
    body.targets.map((target, place) => [target, done[place]?.results ?? []]),
  )
  if (body.save) await keep(context, results)
  const characters = done.reduce((sum, one) => sum + one.characters, 0)
  return { results, provider: translator.name, characters }
}

/** Deletes cached translations that are too old or too many. */
export async function sweepTranslations({ database, clock }: Ports): Promise<void> {
  await commit(database, [store.forgetCached(database, clock.now() - CACHED_MS, CACHED_MAX)])
}

async function translatorOf(ports: Ports): Promise<Translator> {
  const { settings, network, translator } = ports
  if (settings.translation) {
    const { provider, url } = settings.translation
    const key = await readTranslationKey(ports)
    return provider === 'deepl' ? deepl(network, url, key) : libretranslate(network, url, key)
  }
  if (translator) return translator
  throw new Refusal('not_configured', 'Machine translation is not configured. Set TIDEMARK_TRANSLATION_URL.')
}

async function translateInto(
  ports: Ports,
  task: Task,
  items: readonly Item[],
): Promise<{ results: ResultView[]; characters: number }> {
  const { pair, translator } = task
  const asked = items.filter(({ masked }) => hasWords(masked))
  const cached = await store.findCached(
    ports.database,
    pair,
    asked.map(({ digest }) => digest),
  )
  const found = new Map(cached.map(({ digest, text }) => [digest, text]))
  const known = new Set(found.keys())
  const missing = [
    ...new Map(asked.filter(({ digest }) => !known.has(digest)).map((one) => [one.digest, one])).values(),
  ]
  for (let at = 0; at < missing.length; at += translator.textsMax) {
    const batch = missing.slice(at, at + translator.textsMax)
    for (const [digest, text] of await translateBatch(ports, task, batch)) found.set(digest, text)
  }
  const results = items.map(({ key, digest, masked }): ResultView => {
    if (!hasWords(masked)) return { key, text: unmask(masked.text, masked, false), cached: false }
    const text = found.get(digest)
    if (text === undefined) return { key, text: null, cached: false, problem: 'placeholder_lost' }
    return { key, text, cached: known.has(digest) }
  })
  return { results, characters: missing.reduce((sum, { masked }) => sum + masked.text.length, 0) }
}

/** @returns the translations by the digests of their texts, without those in which a placeholder got lost */
async function translateBatch(
  { database, clock, log }: Ports,
  { translator, pair, isMarkup, signal }: Task,
  batch: readonly Item[],
): Promise<(readonly [digest: string, text: string])[]> {
  let answers: string[]
  try {
    answers = await translator.translate(
      batch.map(({ masked }) => masked.text),
      pair,
      signal,
    )
    if (answers.length !== batch.length) throw new TypeError(`The provider answered ${answers.length} texts.`)
    if (answers.some(({ length }) => length > TEXT_MAX))
      throw new TypeError('The provider answered a text that is too long.')
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal && refusal.code !== 'too_large') throw refusal
    log.error('translations: the translation provider failed', error, { provider: pair.provider })
    throw new Refusal(
      'unavailable',
      'The translation provider is unavailable. Try again later.',
      [],
      RETRY_AFTER_S,
    )
  }
  const translated = batch.flatMap(({ digest, masked }, place) => {
    const text = unmask(answers[place] ?? '', masked, isMarkup)
    return text === null || text.includes('\0') ? [] : [[digest, text.toWellFormed()] as const]
  })
  const rows = translated.map(([digest, text]) => ({ digest, text }))
  await commit(database, [store.saveCached(database, pair, { rows, at: clock.now() })])
  return translated
}

async function keep(context: Context, results: AutomaticView['results']): Promise<void> {
  const changes = await Promise.all(
    Object.entries(results).map(([language, all]) => {
      const texts = all.filter(({ text }) => text !== null)
      return changesOf(context, { kind: 'merge', language, texts })
    }),
  )
  const writes = changes.flatMap((change) => change.writes)
  await commitTexts(context, writes)
}

/** Gives an unspecific fault a pointer to its language. */
async function pointed<Result>(place: number, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid') throw error
    const fault = { pointer: `/targets/${place}`, message: 'cannot be translated from the source language' }
    throw new Refusal('invalid', error.detail, [fault])
  }
}
