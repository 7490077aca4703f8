import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sessions, users } from './access.ts'

/** Whom an OpenID Connect provider means by a subject. */
export const oidcIdentities = sqliteTable(
  'oidc_identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: integer('user_id')
      .notNull()
      .unique()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
)

/** States that came back from the provider: none may come a second time. */
export const oidcStates = sqliteTable(
  'oidc_states',
  { hash: text().primaryKey(), expiresAt: integer('expires_at').notNull() },
  (table) => [index('oidc_states_by_end').on(table.expiresAt)],
)

/** Logins that the provider confirmed and that are not yet a session. */
export const oidcLogins = sqliteTable(
  'oidc_logins',
  {
    hash: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    challenge: text().notNull(),
    subject: text().notNull(),
    sid: text().notNull(),
    idToken: text('id_token').notNull(),
    isStrong: integer('is_strong', { mode: 'boolean' }).notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('oidc_logins_by_end').on(table.expiresAt)],
)

/** The id of a session at the provider. */
export const oidcSessions = sqliteTable(
  'oidc_sessions',
  {
    sessionHash: text('session_hash')
      .primaryKey()
      .references(() => sessions.hash, { onDelete: 'cascade' }),
    subject: text().notNull(),
    sid: text().notNull(),
    idToken: text('id_token').notNull(),
  },
  (table) => [
    index('oidc_sessions_by_subject').on(table.subject),
    index('oidc_sessions_by_sid').on(table.sid),
  ],
)
