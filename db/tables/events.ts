import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** The latest start of a reader of events; the number is in the ids of events. */
export const eventEpochs = sqliteTable('event_epochs', {
  id: integer().primaryKey({ autoIncrement: true }),
  openedAt: integer('opened_at').notNull(),
})
