import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { decodeCursor, encodeCursor, unknownCursor } from '../../lib/paging.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import { KEYS_MAX } from './schema.ts'
import type { LanguageView, Texts, TextsQuery, TranslationView } from './schema.ts'
import * as store from './store.ts'
import type { TextRow } from './store.ts'

const LANGUAGES_MAX = 200

/** What becomes of a language: some of its texts change, or these are all it has. */
export type TextsChange = {
  readonly kind: 'merge' | 'replace'
  readonly language: string
  readonly texts: Texts
}

/** The languages that there are texts in; 200 at most. */
export async function listLanguages({ ports }: Context): Promise<LanguageView[]> {
  const format = timeFormat(ports.settings.timeZone)
  const rows = await store.listLanguages(ports.database)
  return rows.map(({ language, count, updatedAt }) => ({
    language,
    count,
    updatedAt: format(updatedAt ?? 0),
  }))
}

/** A page of the texts of a language, by key; none where there are none.
 * @throws {Refusal} invalid for a cursor of another list */
export async function readTexts(
  { ports }: Context,
  language: string,
  { limit, cursor }: TextsQuery,
): Promise<{ translation: TranslationView; next: string | null }> {
  const afterKey = cursor === undefined ? '' : decodeCursor(cursor)
  if (typeof afterKey !== 'string') throw unknownCursor()
  const rows = await store.listTexts(ports.database, language, { afterKey, limit: limit + 1 })
  const texts = rows.slice(0, limit)
  const last = texts.at(-1)
  return {
    translation: { language, texts },
    next: rows.length > limit && last ? encodeCursor(last.key) : null,
  }
}

/** Changes the texts of a language. No texts change nothing, or, where they are all there shall be, leave none.
 * @returns how many texts are others now, or gone
 * @throws {Refusal} conflict when there would be more than 5,000 texts in a language, or more than 200 languages */
export async function changeTexts(context: Context, change: TextsChange): Promise<number> {
  const { writes, updated } = await changesOf(context, change)
  await commit(context.ports.database, writes)
  return updated
}

/** The writes of a change, with its entry on record, for whoever changes several languages at once.
 * @throws {Refusal} conflict, as `changeTexts` */
export async function changesOf(
  context: Context,
  { kind, language, texts }: TextsChange,
): Promise<{ writes: Write[]; updated: number }> {
  const { database, clock } = context.ports
  const before = await textsBefore(context, { kind, language, texts })
  const set = texts.filter((one): one is TextRow => one.text !== null && before.get(one.key) !== one.text)
  const kept = new Set(texts.filter(({ text }) => text !== null).map(({ key }) => key))
  const removed = [...before.keys()].filter((key) => !kept.has(key))
  const changed = new Set([...removed, ...set.map(({ key }) => key)])
  const added = set.filter(({ key }) => !before.has(key)).length
  await requireRoom(context, language, added - removed.length)
  const entry = audited(context, {
    action: kind,
    objectType: 'translation',
    objectId: language,
    before: Object.fromEntries([...before].filter(([key]) => changed.has(key))),
    after: Object.fromEntries(set.map(({ key, text }) => [key, text])),
  })
  const gone =
    kind === 'replace'
      ? store.deleteOthers(database, language, [...kept])
      : store.deleteTexts(database, language, removed)
  return {
    writes: [gone, store.saveTexts(database, language, { texts: set, at: clock.now() }), entry],
    updated: set.length + removed.length,
  }
}

/** The texts that a change may touch, as they are. */
async function textsBefore({ ports }: Context, change: TextsChange): Promise<Map<string, string>> {
  const { database } = ports
  const { kind, language, texts } = change
  const rows =
    kind === 'replace'
      ? await store.listTexts(database, language, { afterKey: '', limit: KEYS_MAX })
      : await store.findTexts(
          database,
          language,
          texts.map(({ key }) => key),
        )
  return new Map(rows.map(({ key, text }) => [key, text]))
}

async function requireRoom({ ports }: Context, language: string, more: number): Promise<void> {
  if (more <= 0) return
  const total = await store.countTexts(ports.database, language)
  if (total + more > KEYS_MAX) throw new Refusal('conflict', `A language has ${KEYS_MAX} texts at most.`)
  if (total === 0 && (await store.countLanguages(ports.database)) >= LANGUAGES_MAX)
    throw new Refusal('conflict', `There are texts in ${LANGUAGES_MAX} languages at most.`)
}
