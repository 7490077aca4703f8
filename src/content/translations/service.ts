import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { decodeCursor, pageOf, unknownCursor } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit, refuseFull } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import { KEYS_MAX } from './schema.ts'
import type { LanguageView, Texts } from './schema.ts'
import * as store from './store.ts'
import type { TextRow } from './store.ts'

const LANGUAGES_MAX = 200
const FULL_LANGUAGE = `A language must have at most ${KEYS_MAX} texts.`
const TOO_MANY_LANGUAGES = `There must be texts in at most ${LANGUAGES_MAX} languages.`
/** The most texts whose values an audit entry has. */
const AUDITED_MAX = 100

/** A change of the texts of a language: `merge` sets some, `replace` sets all. */
export type TextsChange = {
  readonly kind: 'merge' | 'replace'
  readonly language: string
  readonly texts: Texts
}

/** The languages with texts; there are 200 at most. */
export async function listLanguages({ ports }: Context): Promise<LanguageView[]> {
  const format = timeFormat(ports.settings.timeZone)
  const rows = await store.listLanguages(ports.database)
  return rows.map(({ language, count, updatedAt }) => ({
    language,
    count,
    updatedAt: format(updatedAt ?? 0),
  }))
}

/** A page of the texts of a language, by key; empty for an unknown language.
 * @throws {Refusal} invalid for a cursor of another list */
export async function readTexts(
  { ports }: Context,
  language: string,
  { limit, cursor }: Page,
): Promise<{ items: TextRow[]; next: string | null }> {
  const afterKey = cursor === undefined ? '' : decodeCursor(cursor)
  if (typeof afterKey !== 'string') throw unknownCursor()
  const rows = await store.listTexts(ports.database, language, { afterKey, limit: limit + 1 })
  const { shown, next } = pageOf(rows, limit, ({ key }) => key)
  return { items: shown, next }
}

/** Changes the texts of a language. An empty `replace` removes all of them, an empty `merge` none.
 * @returns the number of texts that were changed or removed
 * @throws {Refusal} conflict when there would be more than 5,000 texts in a language, or more than 200 languages */
export async function changeTexts(context: Context, change: TextsChange): Promise<number> {
  const { writes, updated } = await changesOf(context, change)
  await commitTexts(context, writes)
  return updated
}

/** Commits the writes of `changesOf`, of one language or of several.
 * @throws {Refusal} conflict, as `changeTexts` */
export function commitTexts({ ports: { database } }: Context, writes: readonly Write[]): Promise<void> {
  const committed = () => commit(database, writes)
  const inLanguages = () => refuseFull('translations', TOO_MANY_LANGUAGES, committed, 'text')
  return refuseFull('translations', FULL_LANGUAGE, inLanguages, 'updated_at')
}

/** The writes of a change with its audit entry, for `commitTexts`. */
export async function changesOf(
  context: Context,
  change: TextsChange,
): Promise<{ writes: Write[]; updated: number }> {
  const { database, clock } = context.ports
  const { kind, language, texts } = change
  const kept = texts.filter((one): one is TextRow => one.text !== null)
  const known = await store.compareTexts(database, language, texts)
  const set = kept.filter(({ key }) => known.get(key) !== true)
  const removed = await removedBy(context, change, known)
  const gone =
    kind === 'replace'
      ? store.deleteOthers(
          database,
          language,
          kept.map(({ key }) => key),
        )
      : store.deleteTexts(database, language, removed)
  const difference = await differenceOf(context, language, { set, removed })
  return {
    writes: [
      gone,
      store.saveTexts(database, language, { texts: kept, at: clock.now() }),
      store.guardBounds(database, language, { texts: KEYS_MAX, languages: LANGUAGES_MAX }),
      audited(context, { action: kind, objectType: 'translation', objectId: language, ...difference }),
    ],
    updated: set.length + removed.length,
  }
}

/** The keys of the texts that a change removes. */
async function removedBy(
  { ports }: Context,
  { kind, language, texts }: TextsChange,
  known: ReadonlyMap<string, boolean>,
): Promise<string[]> {
  const keysOf = (isKept: boolean) =>
    texts.filter((one) => (one.text !== null) === isKept).map(({ key }) => key)
  if (kind === 'merge') return keysOf(false).filter((key) => known.has(key))
  return store.listOtherKeys(ports.database, language, keysOf(true))
}

/** The audit entry: the texts before and after, or the number of many texts. */
async function differenceOf(
  { ports }: Context,
  language: string,
  { set, removed }: { readonly set: readonly TextRow[]; readonly removed: readonly string[] },
) {
  const keys = [...removed, ...set.map(({ key }) => key)]
  if (keys.length > AUDITED_MAX)
    return { before: { texts: `${keys.length} texts` }, after: { texts: `${set.length} texts` } }
  const byKey = (texts: readonly TextRow[]) => ({
    texts: Object.fromEntries(texts.map(({ key, text }) => [key, text])),
  })
  return { before: byKey(await store.findTexts(ports.database, language, keys)), after: byKey(set) }
}
