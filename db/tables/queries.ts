import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { dataGenerations } from './sources.ts'

/** Groups of data queries, which are a tree. */
export const dataQueryGroups = sqliteTable(
  'data_query_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Null at the root. */
    parentId: integer('parent_id').references((): AnySQLiteColumn => dataQueryGroups.id),
    name: text().notNull(),
    description: text().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('data_query_groups_by_name').on(table.parentId, sql`${table.name} collate nocase`),
    // No parent equals no other one.
    uniqueIndex('data_query_groups_at_root')
      .on(sql`${table.name} collate nocase`)
      .where(sql`parent_id is null`),
  ],
)

/** Data queries with their drafts. */
export const dataQueries = sqliteTable(
  'data_queries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    /** Null at the root. */
    groupId: integer('group_id').references(() => dataQueryGroups.id),
    /** The id of the data source, which may be deleted. */
    dataSourceId: integer('data_source_id').notNull(),
    /** The template of the draft. */
    text: text().notNull(),
    /** The parameters of the draft, as on the wire. */
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Whether dashboards show its results to users who may not run it. */
    isAccessible: integer('is_accessible', { mode: 'boolean' }).notNull().default(false),
    /** The number of the latest published version; 0 for none. */
    published: integer().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** How its result is stored, as on the wire; null where it is not. */
    materialization: text({ mode: 'json' }).$type<unknown>(),
    /** How its template writes values: as binds, or as `legacy` text. */
    escaping: text().$type<'bind' | 'legacy'>().notNull().default('bind'),
    /** The assertions of the draft, as on the wire. */
    assertions: text({ mode: 'json' }).$type<unknown>().notNull().default([]),
    /** Whether the draft had faults when it was saved, other than names of things that were missing. */
    hasFaults: integer('has_faults', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('data_queries_by_name').on(sql`${table.name} collate nocase`),
    index('data_queries_by_source').on(table.dataSourceId),
    index('data_queries_by_group').on(table.groupId),
  ],
)

/** Published versions of data queries. Only the latest one changes, when a data query is renamed to which it refers. */
export const dataQueryVersions = sqliteTable(
  'data_query_versions',
  {
    queryId: integer('query_id')
      .notNull()
      .references(() => dataQueries.id, { onDelete: 'cascade' }),
    /** The number of the version, from 1. */
    number: integer().notNull(),
    dataSourceId: integer('data_source_id').notNull(),
    text: text().notNull(),
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The changes, in the words of the user. */
    description: text().notNull(),
    /** The user who published it, who may be deleted. */
    userId: integer('user_id').notNull(),
    createdAt: integer('created_at').notNull(),
    /** The settings of the stored result in the published draft. */
    materialization: text({ mode: 'json' }).$type<unknown>(),
    /** How its template writes values: as binds, or as `legacy` text. */
    escaping: text().$type<'bind' | 'legacy'>().notNull().default('bind'),
    assertions: text({ mode: 'json' }).$type<unknown>().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.queryId, table.number] }),
    index('data_query_versions_materialized')
      .on(table.queryId, table.number)
      .where(sql`materialization is not null`),
  ],
)

/** The stored result of a data query whose published version is materialised, and its refreshes. */
export const dataQueryResults = sqliteTable(
  'data_query_results',
  {
    queryId: integer('query_id')
      .primaryKey()
      .references(() => dataQueries.id, { onDelete: 'cascade' }),
    /** The version of the rows; 0 before the first refresh. */
    number: integer().notNull(),
    dataSourceId: integer('data_source_id').notNull(),
    /** The rows; null before the first refresh. */
    generationId: integer('generation_id').references(() => dataGenerations.id, { onDelete: 'set null' }),
    /** Names and types, as JSON. */
    columns: text({ mode: 'json' }).$type<unknown>().notNull(),
    rows: integer().notNull(),
    /** A digest of the statement and the data source of the rows: with another one all rows are read anew. Null for none. */
    basis: text(),
    /** The columns from here on are as in `data_refreshes`. */
    everyMs: integer('every_ms'),
    nextAt: integer('next_at'),
    refreshedAt: integer('refreshed_at'),
    failures: integer().notNull(),
    failedAt: integer('failed_at'),
    error: text({ mode: 'json' }).$type<unknown>().notNull(),
    lease: text(),
    leaseUntilAt: integer('lease_until_at'),
    version: integer().notNull(),
  },
  (table) => [
    index('data_query_results_by_next').on(table.nextAt),
    index('data_query_results_by_generation').on(table.generationId),
  ],
)

/** The data queries to which a data query refers by name, whether these exist or not. */
export const dataQueryReferences = sqliteTable(
  'data_query_references',
  {
    queryId: integer('query_id')
      .notNull()
      .references(() => dataQueries.id, { onDelete: 'cascade' }),
    /** 1 for the latest published version, 0 for the draft. */
    isPublished: integer('is_published', { mode: 'boolean' }).notNull(),
    /** `keyOf` of the name. */
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.queryId, table.isPublished, table.name] }),
    index('data_query_references_by_name').on(table.name),
  ],
)
