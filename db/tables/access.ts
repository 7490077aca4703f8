import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { objects } from './tree.ts'

export const users = sqliteTable('users', {
  id: integer().primaryKey({ autoIncrement: true }),
  username: text().notNull().unique(),
  /** The form by which names are compared; null for an older user whose form another user has. */
  usernameKey: text('username_key').unique(),
  passwordHash: text('password_hash').notNull(),
  role: text().notNull(),
  type: text().notNull(),
  fullname: text().notNull(),
  email: text().notNull(),
  phone: text().notNull(),
  startDashboardId: integer('start_dashboard_id'),
  language: text().notNull(),
  timeZone: text('time_zone').notNull(),
  darkMode: integer('dark_mode', { mode: 'boolean' }).notNull().default(false),
  /** A JSON array of keys and values, for the filters of scopes. */
  properties: text({ mode: 'json' })
    .$type<readonly { readonly key: string; readonly value: string }[]>()
    .notNull()
    .default(sql`'[]'`),
  version: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  /** The permanent id of the person in the directory. */
  directoryId: text('directory_id').unique(),
  /** The time at which an administrator disabled the user, or a sync found that the directory lacks or disables the person. */
  disabledAt: integer('disabled_at'),
})

export const sessions = sqliteTable(
  'sessions',
  {
    hash: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    address: text().notNull().default(''),
    agent: text().notNull().default(''),
    refreshCount: integer('refresh_count').notNull().default(0),
    owes: text().notNull().default(''),
    /** The scopes of the token, separated by spaces; null for all rights of its user. */
    scopes: text(),
    /** The ids of users whose rights bound the rights of its user, as a JSON array; null for none. */
    bounds: text(),
  },
  (table) => [index('sessions_by_user').on(table.userId), index('sessions_by_expiry').on(table.expiresAt)],
)

/** Choices of users in the console. */
export const preferences = sqliteTable('preferences', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** A JSON object. */
  document: text().notNull(),
})

/** One-time links that create the first administrator. */
export const setups = sqliteTable('setups', {
  hash: text().primaryKey(),
  expiresAt: integer('expires_at').notNull(),
})

export const userGroups = sqliteTable('user_groups', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  version: integer().notNull(),
  createdAt: integer('created_at').notNull(),
})

/** Which user is in which group. */
export const memberships = sqliteTable(
  'memberships',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    groupId: integer('group_id')
      .notNull()
      .references(() => userGroups.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.groupId] }),
    index('memberships_by_group').on(table.groupId),
  ],
)

/** The right to read an object and everything below it, and further rights with it: a user's, a group's, or everyone's
 * where neither is named. */
export const grants = sqliteTable(
  'grants',
  {
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    groupId: integer('group_id').references(() => userGroups.id, { onDelete: 'cascade' }),
    write: integer({ mode: 'boolean' }).notNull(),
    execute: integer({ mode: 'boolean' }).notNull(),
    maintain: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    uniqueIndex('grants_by_user').on(table.userId, table.objectId),
    uniqueIndex('grants_by_group').on(table.groupId, table.objectId),
    uniqueIndex('grants_of_everyone')
      .on(table.objectId)
      .where(sql`user_id is null and group_id is null`),
    index('grants_by_object').on(table.objectId),
  ],
)
