import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The one row says when users are to be made what the directory says, and how that went the last time. */
export const directorySyncs = sqliteTable('directory_syncs', {
  id: integer().primaryKey(),
  dueAt: integer('due_at').notNull(),
  heldUntilAt: integer('held_until_at').notNull(),
  report: text().notNull(),
})
