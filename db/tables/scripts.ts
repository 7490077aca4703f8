import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'

/** Groups of scripts; the group `Default` cannot be deleted. */
export const scriptGroups = sqliteTable(
  'script_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    version: integer().notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('script_groups_by_name').on(sql`${table.name} collate nocase`)],
)

/** Scripts: their settings. */
export const scripts = sqliteTable(
  'scripts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    groupId: integer('group_id')
      .notNull()
      .references(() => scriptGroups.id),
    /** Seconds; 0 means none. */
    timeoutS: integer('timeout_s').notNull(),
    /** The MIME types of files that it takes, as a JSON array. */
    acceptedFiles: text('accepted_files', { mode: 'json' }).$type<string[]>().notNull(),
    /** The program that runs it, derived from the paths in its tree. */
    detection: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The user who last changed the tree, and the role of that user then; null before the first change. No reference:
     * the id stays when the user is gone. */
    changedBy: integer('changed_by'),
    changedRole: text('changed_role'),
    /** Rises with every change of the settings, the tree or a configuration. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('scripts_by_name').on(sql`${table.name} collate nocase`),
    index('scripts_by_group').on(table.groupId),
  ],
)

/** The tree of a script: files, and directories that a user made. */
export const scriptFiles = sqliteTable(
  'script_files',
  {
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    /** From the root of the tree, with slashes between, NFC. */
    path: text().notNull(),
    isDirectory: integer('is_directory', { mode: 'boolean' }).notNull(),
    /** The key of the bytes, which no other row has or had; null for a directory. */
    blob: text(),
    sizeBytes: integer('size_bytes').notNull(),
    /** SHA-256 of the bytes, hexadecimal; empty for a directory. */
    sha256: text().notNull(),
    mimeType: text('mime_type').notNull(),
    isText: integer('is_text', { mode: 'boolean' }).notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scriptId, table.path] })],
)

/** The dependents that a script declares: they break when it is deleted. */
export const scriptDependents = sqliteTable(
  'script_dependents',
  {
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    /** `widget`, `dataSource`, `alarmRecipient` */
    kind: text().notNull(),
    /** The dashboard, the data source, or the recipient of alarms. */
    ownerId: integer('owner_id').notNull(),
    /** The widget of the dashboard, or the table of the data source; else empty. */
    part: text().notNull(),
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scriptId, table.kind, table.ownerId, table.part] }),
    index('script_dependents_by_owner').on(table.kind, table.ownerId),
  ],
)

/** How a script may be run. */
export const runConfigurations = sqliteTable(
  'run_configurations',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    isDefault: integer('is_default', { mode: 'boolean' }).notNull(),
    /** Seconds, 0 means none; null takes the script's. */
    timeoutS: integer('timeout_s'),
    /** Everything else of it, as on the wire and without secrets. */
    rules: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Secret environment variables by their names, each sealed. */
    secrets: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    /** The user who last changed it, as `scripts.changed_by`. */
    changedBy: integer('changed_by'),
    changedRole: text('changed_role'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('run_configurations_by_name').on(table.scriptId, sql`${table.name} collate nocase`),
    uniqueIndex('run_configurations_by_default')
      .on(table.scriptId)
      .where(sql`is_default = 1`),
  ],
)

/** The schedules of scripts. */
export const scheduleConfigurations = sqliteTable(
  'schedule_configurations',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
    cron: text().notNull(),
    timeZone: text('time_zone').notNull(),
    /** Null takes the script's default at that time. */
    runConfigurationId: integer('run_configuration_id').references(() => runConfigurations.id, {
      onDelete: 'set null',
    }),
    /** `skip`, `run_once` */
    misfire: text().notNull(),
    /** The user whose rights a run has; null after the deletion of the user, and then the schedule orders no run. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** The next due time of the schedule; null while the schedule orders no run. */
    nextAt: integer('next_at'),
    /** The last due time, and its result: `ordered`, `missed`, or the reason for which no run was ordered. */
    lastAt: integer('last_at'),
    lastResult: text('last_result'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('schedule_configurations_by_name').on(table.scriptId, sql`${table.name} collate nocase`),
    index('schedule_configurations_by_next')
      .on(table.nextAt)
      .where(sql`next_at is not null`),
  ],
)

/** Tokens with which a stranger may start a script. */
export const webhookTokens = sqliteTable(
  'webhook_tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    runConfigurationId: integer('run_configuration_id').references(() => runConfigurations.id, {
      onDelete: 'cascade',
    }),
    name: text().notNull(),
    /** SHA-256 of the token, hexadecimal. */
    hash: text().notNull().unique(),
    /** The one before it, while it is still good. */
    formerHash: text('former_hash').unique(),
    formerUntil: integer('former_until'),
    /** The sealed key of its signatures, and of those before while they are good; null where none are asked for. */
    signingKey: text('signing_key'),
    formerSigningKey: text('former_signing_key'),
    /** The user whose rights a run of the schedule has. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [uniqueIndex('webhook_tokens_by_name').on(table.scriptId, sql`${table.name} collate nocase`)],
)
