import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Data queries with their drafts. */
export const dataQueries = sqliteTable(
  'data_queries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    /** It may be the id of a deleted data source. */
    dataSourceId: integer('data_source_id').notNull(),
    /** The template of the draft. */
    text: text().notNull(),
    /** The parameters of the draft, as on the wire. */
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The number of the latest published version; 0 for none. */
    published: integer().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('data_queries_by_name').on(sql`${table.name} collate nocase`),
    index('data_queries_by_source').on(table.dataSourceId),
  ],
)

/** Published versions of data queries. They never change. */
export const dataQueryVersions = sqliteTable(
  'data_query_versions',
  {
    queryId: integer('query_id')
      .notNull()
      .references(() => dataQueries.id, { onDelete: 'cascade' }),
    /** From 1. */
    number: integer().notNull(),
    dataSourceId: integer('data_source_id').notNull(),
    text: text().notNull(),
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The changes, in the words of the user. */
    description: text().notNull(),
    /** The user who published it, who may be deleted. */
    userId: integer('user_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.queryId, table.number] })],
)
