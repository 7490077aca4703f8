import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Databases of others, and how they are reached. */
export const dataSources = sqliteTable(
  'data_sources',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    /** `postgresql`, `mysql` */
    type: text().notNull(),
    isReadOnly: integer('is_read_only', { mode: 'boolean' }).notNull(),
    /** How long a statement may take; 0 means for good. */
    timeoutMs: integer('timeout_ms').notNull(),
    /** Host, port and the like, as on the wire and without the password. */
    connection: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Sealed; null where there is none. */
    password: text(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('data_sources_by_name').on(sql`${table.name} collate nocase`)],
)
