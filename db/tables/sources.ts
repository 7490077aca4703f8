import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { userGroups, users } from './access.ts'

/** Databases of others, and how they are reached. */
export const dataSources = sqliteTable(
  'data_sources',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    /** `postgresql`, `mysql`, `csv` */
    type: text().notNull(),
    isReadOnly: integer('is_read_only', { mode: 'boolean' }).notNull(),
    /** The time limit of a statement; 0 for no limit. */
    timeoutMs: integer('timeout_ms').notNull(),
    /** Host, port and the like, as on the wire and without the password; JSON null for sources of files. */
    connection: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Sealed; null without a password. */
    password: text(),
    /** `filters`, `native` (row security of the database) */
    scopeMode: text('scope_mode').notNull().default('filters'),
    /** The comment on the database; null for none. */
    comment: text(),
    annotations: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('data_sources_by_name').on(sql`${table.name} collate nocase`)],
)

/** Which rows and columns of some tables users may see and edit. */
export const dataScopes = sqliteTable(
  'data_scopes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    dataSourceId: integer('data_source_id')
      .notNull()
      .references(() => dataSources.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The names of its tables and views, as JSON. */
    tables: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    /** `read`, `edit` */
    access: text().notNull(),
    /** The filter as in the API; null for all rows. */
    filter: text({ mode: 'json' }).$type<unknown>(),
    hiddenColumns: text('hidden_columns', { mode: 'json' }).$type<readonly string[]>().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('data_scopes_by_name').on(table.dataSourceId, sql`${table.name} collate nocase`)],
)

/** A user, a user group or a role to which a scope applies. */
export const dataScopeSubjects = sqliteTable(
  'data_scope_subjects',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    scopeId: integer('scope_id')
      .notNull()
      .references(() => dataScopes.id, { onDelete: 'cascade' }),
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    groupId: integer('group_id').references(() => userGroups.id, { onDelete: 'cascade' }),
    role: text(),
  },
  (table) => [
    index('data_scope_subjects_by_scope').on(table.scopeId),
    index('data_scope_subjects_by_user').on(table.userId),
    index('data_scope_subjects_by_group').on(table.groupId),
  ],
)

/** The tables of a data source at its last sync. */
export const dataSourceCatalogues = sqliteTable('data_source_catalogues', {
  dataSourceId: integer('data_source_id')
    .primaryKey()
    .references(() => dataSources.id, { onDelete: 'cascade' }),
  /** The digest of the columns of each table, by the name of the table. */
  digests: text({ mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull(),
  syncedAt: integer('synced_at').notNull(),
})

/** A version of a table of a data source, in the host's engine of tables. */
export const dataGenerations = sqliteTable(
  'data_generations',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The id of the data source, which may be deleted. */
    dataSourceId: integer('data_source_id').notNull(),
    /** The time at which the generation is deleted; null while a table has the generation. */
    dropAt: integer('drop_at'),
  },
  (table) => [index('data_generations_by_drop').on(table.dropAt)],
)

/** An imported table of a data source. */
export const dataTables = sqliteTable(
  'data_tables',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    dataSourceId: integer('data_source_id')
      .notNull()
      .references(() => dataSources.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Names and types, as JSON. */
    columns: text({ mode: 'json' }).$type<unknown>().notNull(),
    generationId: integer('generation_id')
      .notNull()
      .references(() => dataGenerations.id),
    rows: integer().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('data_tables_by_name').on(table.dataSourceId, sql`${table.name} collate nocase`),
    index('data_tables_by_generation').on(table.generationId),
  ],
)

/** The refreshes of imported tables. */
export const dataRefreshes = sqliteTable(
  'data_refreshes',
  {
    tableId: integer('table_id')
      .primaryKey()
      .references(() => dataTables.id, { onDelete: 'cascade' }),
    /** The origin of the rows as in the API, with the types of the columns. */
    origin: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Null for refreshes on demand alone. */
    everyMs: integer('every_ms'),
    /** The due time of the next refresh; null for none. */
    nextAt: integer('next_at'),
    refreshedAt: integer('refreshed_at'),
    /** Since the latest refresh that succeeded. */
    failures: integer().notNull(),
    failedAt: integer('failed_at'),
    /** Code and detail of the latest failure; JSON null after a success. */
    error: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The token of the refresh that goes on, and until when it holds without a sign of its node. */
    lease: text(),
    leaseUntilAt: integer('lease_until_at'),
    /** Rises with every change of the definition. */
    version: integer().notNull(),
  },
  (table) => [index('data_refreshes_by_next').on(table.nextAt)],
)

/** A file that was uploaded to be imported. */
export const dataUploads = sqliteTable(
  'data_uploads',
  {
    id: text().primaryKey(),
    dataSourceId: integer('data_source_id')
      .notNull()
      .references(() => dataSources.id, { onDelete: 'cascade' }),
    blob: text().notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('data_uploads_by_source').on(table.dataSourceId),
    index('data_uploads_by_expiry').on(table.expiresAt),
  ],
)

/** A comment and annotations on a table or column of a data source, beside the comment in its database. */
export const dataSourceNotes = sqliteTable(
  'data_source_notes',
  {
    dataSourceId: integer('data_source_id')
      .notNull()
      .references(() => dataSources.id, { onDelete: 'cascade' }),
    tableName: text('table_name').notNull(),
    /** Empty for the table itself. */
    columnName: text('column_name').notNull(),
    /** Null for the comment in the database. */
    comment: text(),
    annotations: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.dataSourceId, table.tableName, table.columnName] })],
)
