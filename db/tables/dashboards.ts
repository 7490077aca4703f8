import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'

import { userGroups, users } from './access.ts'

/** Groups of dashboards, which are a tree. */
export const dashboardGroups = sqliteTable(
  'dashboard_groups',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Null at the root. */
    parentId: integer('parent_id').references((): AnySQLiteColumn => dashboardGroups.id),
    name: text().notNull(),
    /** The order among the groups of the parent; equal positions are ordered by name. */
    position: integer().notNull(),
    /** Default values of parameters by their names, as JSON. */
    defaultParams: text('default_params', { mode: 'json' }).$type<unknown>().notNull(),
    /** Rises with every change. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('dashboard_groups_by_name').on(table.parentId, sql`${table.name} collate nocase`),
    // No parent equals no other one.
    uniqueIndex('dashboard_groups_at_root')
      .on(sql`${table.name} collate nocase`)
      .where(sql`parent_id is null`),
  ],
)

/** Dashboards with their definitions. */
export const dashboards = sqliteTable(
  'dashboards',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The identity of the dashboard in exports. */
    uuid: text().notNull(),
    /** Null at the root. */
    groupId: integer('group_id').references(() => dashboardGroups.id),
    name: text().notNull(),
    /** The name in URLs, in lower case. */
    urlName: text('url_name').notNull(),
    description: text().notNull(),
    /** The definition as JSON. */
    definition: text().notNull(),
    /** Rises with every change of the name, the description or the definition. */
    number: integer().notNull(),
    /** The origin of a dashboard that is changed as code; empty for others. */
    managedBy: text('managed_by').notNull(),
    /** Rises with every change, also of the group and the URL name. */
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The name of the user who changed it last. */
    updatedBy: text('updated_by').notNull(),
  },
  (table) => [
    uniqueIndex('dashboards_by_uuid').on(table.uuid),
    uniqueIndex('dashboards_by_url_name').on(table.urlName),
    index('dashboards_by_group').on(table.groupId),
  ],
)

/** Former URL names, which lead to their dashboards for some time. */
export const dashboardOldUrls = sqliteTable(
  'dashboard_old_urls',
  {
    urlName: text('url_name').primaryKey(),
    dashboardId: integer('dashboard_id')
      .notNull()
      .references(() => dashboards.id, { onDelete: 'cascade' }),
    untilAt: integer('until_at').notNull(),
  },
  (table) => [index('dashboard_old_urls_by_dashboard').on(table.dashboardId)],
)

/** Versions of definitions, the current one included. */
export const dashboardVersions = sqliteTable(
  'dashboard_versions',
  {
    dashboardId: integer('dashboard_id')
      .notNull()
      .references(() => dashboards.id, { onDelete: 'cascade' }),
    /** `dashboards.number` of that time. */
    number: integer().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    definition: text().notNull(),
    /** The name of the user who made it. */
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.dashboardId, table.number] })],
)

/** The objects, data queries, scripts, dashboards and files that dashboards show or use. They need not exist any more. */
export const dashboardReferences = sqliteTable(
  'dashboard_references',
  {
    dashboardId: integer('dashboard_id')
      .notNull()
      .references(() => dashboards.id, { onDelete: 'cascade' }),
    /** The place in the definition, as a JSON pointer. */
    pointer: text().notNull(),
    /** The id of the widget; empty for parameters and the style. */
    widgetId: text('widget_id').notNull(),
    /** `object`, `dataQuery`, `script`, `dashboard`, `file` or `forecast`. */
    kind: text().notNull(),
    /** 0 for a file. */
    targetId: integer('target_id').notNull(),
    /** The name of a file; else empty. */
    targetName: text('target_name').notNull(),
    /** The title of the widget. */
    title: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.dashboardId, table.pointer] }),
    index('dashboard_references_by_target').on(table.kind, table.targetId, table.targetName),
  ],
)

/** The rights of users, user groups and everyone on dashboards and on groups of dashboards. A grant on a group also applies
 * to all groups and dashboards below it. */
export const dashboardGrants = sqliteTable(
  'dashboard_grants',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Null for a grant on a group. */
    dashboardId: integer('dashboard_id').references(() => dashboards.id, { onDelete: 'cascade' }),
    /** Null for a grant on a dashboard. */
    groupId: integer('group_id').references(() => dashboardGroups.id, { onDelete: 'cascade' }),
    /** Both are null for everyone. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    userGroupId: integer('user_group_id').references(() => userGroups.id, { onDelete: 'cascade' }),
    write: integer({ mode: 'boolean' }).notNull(),
    execute: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    index('dashboard_grants_by_dashboard').on(table.dashboardId),
    index('dashboard_grants_by_group').on(table.groupId),
    index('dashboard_grants_by_user').on(table.userId),
    index('dashboard_grants_by_user_group').on(table.userGroupId),
  ],
)

/** Public links of dashboards. */
export const dashboardPublics = sqliteTable(
  'dashboard_publics',
  {
    dashboardId: integer('dashboard_id')
      .primaryKey()
      .references(() => dashboards.id, { onDelete: 'cascade' }),
    /** The user whose rights the data has. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** The token, encrypted, for those who may publish. */
    tokenSealed: text('token_sealed').notNull(),
    /** Null for no end. */
    expiresAt: integer('expires_at'),
    /** Fixed values of parameters, the names of those that readers set, the time range and the language, as JSON. */
    settings: text({ mode: 'json' }).$type<unknown>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('dashboard_publics_by_token').on(table.tokenHash),
    index('dashboard_publics_by_user').on(table.userId),
  ],
)

/** Frozen data of dashboards. */
export const dashboardSnapshots = sqliteTable(
  'dashboard_snapshots',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    dashboardId: integer('dashboard_id')
      .notNull()
      .references(() => dashboards.id, { onDelete: 'cascade' }),
    /** The user whose rights the data has; only this user and administrators read it. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    createdAt: integer('created_at').notNull(),
    untilAt: integer('until_at').notNull(),
    /** The shown parts of the dashboard and the data of its widgets, as JSON. */
    contents: text().notNull(),
  },
  (table) => [
    index('dashboard_snapshots_by_dashboard').on(table.dashboardId),
    index('dashboard_snapshots_by_user').on(table.userId),
  ],
)
