import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'

/** Tokens that people make for their own programs. */
export const personalTokens = sqliteTable(
  'personal_tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    hash: text().notNull().unique(),
    name: text().notNull(),
    scopes: text().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('personal_tokens_by_user').on(table.userId)],
)

/** A second factor of a user. */
export const mfa = sqliteTable('mfa', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  isEnforced: integer('is_enforced').notNull(),
  secret: text().notNull(),
  isConfirmed: integer('is_confirmed').notNull(),
  lastStep: integer('last_step').notNull(),
})

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.hash] })],
)

/** Passwords that a user has or had; the latest is the present one. */
export const passwords = sqliteTable(
  'passwords',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    hash: text().notNull(),
    setAt: integer('set_at').notNull(),
  },
  (table) => [index('passwords_by_user').on(table.userId)],
)

/** Tries to prove something, counted from the first one until `until_at`. */
export const attempts = sqliteTable(
  'attempts',
  {
    key: text().primaryKey(),
    count: integer().notNull(),
    untilAt: integer('until_at').notNull(),
  },
  (table) => [index('attempts_by_end').on(table.untilAt)],
)
