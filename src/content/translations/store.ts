import { and, count, eq, gt, inArray, max, notInArray, sql } from 'drizzle-orm'
import { translations } from '../../../db/tables/content.ts'
import type { Database, Write } from '../../ports/database.ts'

export type TextRow = Pick<typeof translations.$inferSelect, 'key' | 'text'>

const shown = { key: translations.key, text: translations.text }

/** The languages that there are texts in, with how many and since when. */
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
      .where(and(eq(translations.language, language), inArray(translations.key, these(keys)))),
  )
}

/** Of each of these keys that the language has, whether it has this very text. */
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
    .from(sql`json_each(${JSON.stringify(texts)})`)
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
    .where(and(eq(translations.language, language), notInArray(translations.key, these(keys))))
  return rows.map(({ key }) => key)
}

export async function countTexts(database: Database, language: string): Promise<number> {
  const [row] = await database
    .select({ total: count() })
    .from(translations)
    .where(eq(translations.language, language))
  return row?.total ?? 0
}

export async function countLanguages(database: Database): Promise<number> {
  const languages = database
    .selectDistinct({ language: translations.language })
    .from(translations)
    .as('languages')
  const [row] = await database.select({ total: count() }).from(languages)
  return row?.total ?? 0
}

/** Sets texts, in place of other ones that have their keys. */
export function saveTexts(
  database: Database,
  language: string,
  { texts, at }: { readonly texts: readonly TextRow[]; readonly at: number },
): Write {
  const rows = sql`json_each(${JSON.stringify(texts)})`
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

export function deleteTexts(database: Database, language: string, keys: readonly string[]): Write {
  return database
    .delete(translations)
    .where(and(eq(translations.language, language), inArray(translations.key, these(keys))))
}

/** Takes away all texts of a language but those under these keys. */
export function deleteOthers(database: Database, language: string, keys: readonly string[]): Write {
  return database
    .delete(translations)
    .where(and(eq(translations.language, language), notInArray(translations.key, these(keys))))
}

function these(keys: readonly string[]) {
  return sql`(select value from json_each(${JSON.stringify(keys)}))`
}
