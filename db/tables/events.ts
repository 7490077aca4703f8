import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** The latest time that somebody began to read events; the number is in their ids. */
export const eventEpochs = sqliteTable('event_epochs', {
  id: integer().primaryKey({ autoIncrement: true }),
  openedAt: integer('opened_at').notNull(),
})
