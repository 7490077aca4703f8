import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Archives that are kept; their bytes are blobs. */
export const backups = sqliteTable(
  'backups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    createdAt: integer('created_at').notNull(),
    /** `asked`, `scheduled` or `uploaded`. */
    origin: text().notNull(),
    /** The instant and the release of its content. */
    madeAt: integer('made_at').notNull(),
    release: text().notNull(),
    hasHistories: integer('has_histories', { mode: 'boolean' }).notNull(),
    hasFiles: integer('has_files', { mode: 'boolean' }).notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** The last link of its chain of digests, hexadecimal. */
    digest: text().notNull(),
    /** The key of the bytes, which no other row has or had. */
    blob: text().notNull(),
  },
  (table) => [index('backups_by_origin').on(table.origin, table.createdAt)],
)

/** The latest restore of a whole backup: one row. */
export const restores = sqliteTable('restores', {
  id: integer().primaryKey(),
  /** The digest of the backup. */
  digest: text().notNull(),
  /** The instant of the backup. */
  madeAt: integer('made_at').notNull(),
  /** The time at which the tables were replaced. */
  beganAt: integer('began_at').notNull(),
  /** The time at which all histories were restored; null before that. */
  finishedAt: integer('finished_at'),
})

/** The section of the generations of tables that a backup still has to read; `place` is the id. The sweep keeps them. */
export const HELD_GENERATIONS = 'held generations'

/** Rows as they were at one instant, on their way into an archive, and rows of an archive on their way into their tables. */
export const backupRows = sqliteTable(
  'backup_rows',
  {
    /** The purpose of the parts. */
    run: text().notNull(),
    section: text().notNull(),
    place: integer().notNull(),
    /** The cells as a JSON array. */
    cells: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.run, table.section, table.place] }),
    index('backup_rows_by_time').on(table.at),
  ],
)
