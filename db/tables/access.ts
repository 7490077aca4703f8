import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: integer().primaryKey({ autoIncrement: true }),
  username: text().notNull().unique(),
  passwordHash: text('password_hash').notNull(),
  role: text().notNull(),
  type: text().notNull(),
  fullname: text().notNull(),
  email: text().notNull(),
  phone: text().notNull(),
  startDashboardId: integer('start_dashboard_id'),
  language: text().notNull(),
  timeZone: text('time_zone').notNull(),
  version: integer().notNull(),
  createdAt: integer('created_at').notNull(),
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
  },
  (table) => [index('sessions_by_user').on(table.userId), index('sessions_by_expiry').on(table.expiresAt)],
)

/** One-time links that create the first administrator. */
export const setups = sqliteTable('setups', {
  hash: text().primaryKey(),
  expiresAt: integer('expires_at').notNull(),
})
