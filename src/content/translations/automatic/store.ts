import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import { translationCache } from '../../../../db/tables/content.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** The provider of translations, and the languages from and into which it translates. */
export type Pair = { readonly provider: string; readonly source: string; readonly target: string }

export type CachedRow = { readonly digest: string; readonly text: string }

/** The cached translations of these texts. */
export function findCached(database: Database, pair: Pair, digests: readonly string[]): Promise<CachedRow[]> {
  const these = elementsOf(digests)
  return Promise.resolve(
    database
      .select({ digest: translationCache.digest, text: translationCache.text })
      .from(translationCache)
      .where(and(ofPair(pair), inArray(translationCache.digest, these))),
  )
}

export function saveCached(
  database: Database,
  { provider, source, target }: Pair,
  { rows, at }: { readonly rows: readonly CachedRow[]; readonly at: number },
): Write {
  return database
    .insert(translationCache)
    .select(
      database
        .select({
          provider: sql<string>`${provider}`.as('provider'),
          source: sql<string>`${source}`.as('source'),
          target: sql<string>`${target}`.as('target'),
          digest: sql<string>`value ->> 'digest'`.as('digest'),
          text: sql<string>`value ->> 'text'`.as('text'),
          at: sql<number>`cast(${at} as integer)`.as('at'),
        })
        .from(eachOf(rows))
        // Without a condition SQLite takes what follows for a join.
        .where(sql`true`),
    )
    .onConflictDoNothing()
}

/** Deletes translations from before `at`, and all but the latest `keptMax` of the others. */
export function forgetCached(database: Database, at: number, keptMax: number): Write {
  const oldest = sql`(select at from translation_cache order by at desc limit 1 offset ${keptMax - 1})`
  return database
    .delete(translationCache)
    .where(lt(translationCache.at, sql`max(${at}, coalesce(${oldest}, ${at}))`))
}

function ofPair({ provider, source, target }: Pair) {
  return and(
    eq(translationCache.provider, provider),
    eq(translationCache.source, source),
    eq(translationCache.target, target),
  )
}
