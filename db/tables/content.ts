import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Uploaded files; their bytes are blobs. */
export const files = sqliteTable('files', {
  name: text().primaryKey(),
  mimeType: text('mime_type').notNull(),
  sizeBytes: integer('size_bytes').notNull(),
  /** The key of the bytes, which no other row has or had. */
  blob: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** Blobs without references: during their upload, and after the last reference was removed. */
export const orphanedBlobs = sqliteTable(
  'orphaned_blobs',
  {
    key: text().primaryKey(),
    at: integer().notNull(),
  },
  (table) => [index('orphaned_blobs_by_time').on(table.at)],
)

/** Style sheets. */
export const styles = sqliteTable('styles', {
  name: text().primaryKey(),
  text: text().notNull(),
  /** SHA-256 of the text, hexadecimal. */
  digest: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** The settings that administrators changed: one row, or none before the first change. */
export const settings = sqliteTable('settings', {
  id: integer().primaryKey(),
  /** The settings as on the wire, without secrets. */
  values: text({ mode: 'json' }).$type<unknown>().notNull(),
  /** Sealed secrets by their names. */
  secrets: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  version: integer().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** Texts of user interfaces. */
export const translations = sqliteTable(
  'translations',
  {
    language: text().notNull(),
    key: text().notNull(),
    text: text().notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.language, table.key] })],
)

/** Cached translations of a provider. */
export const translationCache = sqliteTable(
  'translation_cache',
  {
    provider: text().notNull(),
    source: text().notNull(),
    target: text().notNull(),
    /** SHA-256 of the format and the text, hexadecimal. */
    digest: text().notNull(),
    text: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.source, table.target, table.digest] }),
    index('translation_cache_by_time').on(table.at),
  ],
)
