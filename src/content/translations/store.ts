import { and, count, eq, gt, inArray, max, notInArray, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { translations } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

export type TextRow = Pick<typeof translations.$inferSelect, 'key' | 'text'>

const shown = { key: translations.key, text: translations.text }

/** The languages with texts, with their number and the time of the latest change. */
export function listLanguages(database: Database) {
  return Promise.resolve(
    database
      .select({
        language: translations.language,
        count: count(),
        updatedAt: max(translations.updatedAt),
      })
      .from(translations)
      .groupBy(translations.language)
      .orderBy(translations.language),
  )
}

/** Texts of a language by key, those after `afterKey`. */
export function listTexts(
  database: Database,
  language: string,
  { afterKey, limit }: { readonly afterKey: string; readonly limit: number },
): Promise<TextRow[]> {
  return Promise.resolve(
    database
      .select(shown)
      .from(translations)
      .where(and(eq(translations.language, language), gt(translations.key, afterKey)))
      .orderBy(translations.key)
      .limit(limit),
  )
}

/** The texts of a language under these keys, as far as there are any. */
export function findTexts(database: Database, language: string, keys: readonly string[]): Promise<TextRow[]> {
  return Promise.resolve(
    database
      .select(shown)
      .from(translations)
      .where(and(eq(translations.language, language), inArray(translations.key, elementsOf(keys)))),
  )
}

/** The keys of these texts that the language has, each with whether its text is the same. */
export async function compareTexts(
  database: Database,
  language: string,
  texts: readonly { readonly key: string; readonly text: string | null }[],
): Promise<Map<string, boolean>> {
  const rows = await database
    .select({
      key: translations.key,
      isSame: sql<number>`${translations.text} is value ->> 'text'`.as('is_same'),
    })
    .from(eachOf(texts))
    .innerJoin(
      translations,
      and(eq(translations.language, language), eq(translations.key, sql`value ->> 'key'`)),
    )
  return new Map(rows.map(({ key, isSame }) => [key, isSame === 1]))
}

/** The keys of a language but for these. */
export async function listOtherKeys(
  database: Database,
  language: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await database
    .select({ key: translations.key })
    .from(translations)
    .where(and(eq(translations.language, language), notInArray(translations.key, elementsOf(keys))))
  return rows.map(({ key }) => key)
}

/** Stores texts, in place of the ones with the same keys. */
export function saveTexts(
  database: Database,
  language: string,
  { texts, at }: { readonly texts: readonly TextRow[]; readonly at: number },
): Write {
  const rows = eachOf(texts)
  return database
    .insert(translations)
    .select(
      database
        .select({
          language: sql<string>`${language}`.as('language'),
          key: sql<string>`value ->> 'key'`.as('key'),
          text: sql<string>`value ->> 'text'`.as('text'),
          updatedAt: sql<number>`cast(${at} as integer)`.as('updated_at'),
        })
        .from(rows)
        // Without a condition SQLite takes what follows for a join.
        .where(sql`true`),
    )
    .onConflictDoUpdate({
      target: [translations.language, translations.key],
      set: { text: sql`excluded.text`, updatedAt: sql`excluded.updated_at` },
      setWhere: sql`${translations.text} <> excluded.text`,
    })
}

/** A write that fails, as `refuseFull` recognises by `updated_at`, when the language has more texts than the bound, and by
 * `text` when there are texts in more languages than the bound. */
export function guardBounds(
  database: Database,
  language: string,
  bounds: { readonly texts: number; readonly languages: number },
): Write {
  const own = sql`select count(*) from translations where language = ${language}`
  // One step along the index for each language: a plain count reads every text.
  const languages = sql`with recursive seen (language) as (
    select min(language) from translations
    union all
    select (select min(language) from translations where language > seen.language)
    from seen where language is not null)
    select count(language) from seen`
  const first = sql`select min(key) from translations where language = ${language}`
  return database
    .update(translations)
    .set({
      text: sql`case when (${languages}) <= ${bounds.languages} then text end`,
      updatedAt: sql`case when (${own}) <= ${bounds.texts} then updated_at end`,
    })
    .where(and(eq(translations.language, language), sql`${translations.key} = (${first})`))
}

export function deleteTexts(database: Database, language: string, keys: readonly string[]): Write {
  return database
    .delete(translations)
    .where(and(eq(translations.language, language), inArray(translations.key, elementsOf(keys))))
}

/** Deletes all texts of a language except those with these keys. */
export function deleteOthers(database: Database, language: string, keys: readonly string[]): Write {
  return database
    .delete(translations)
    .where(and(eq(translations.language, language), notInArray(translations.key, elementsOf(keys))))
}
