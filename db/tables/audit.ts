import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The audit trail. Triggers refuse to change or remove a row. */
export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    userId: integer('user_id').notNull(),
    username: text().notNull(),
    address: text().notNull(),
    requestId: text('request_id').notNull(),
    action: text().notNull(),
    objectType: text('object_type').notNull(),
    objectId: text('object_id').notNull(),
    before: text().notNull(),
    after: text().notNull(),
  },
  (table) => [
    index('audit_by_time').on(table.at),
    index('audit_by_user').on(table.userId),
    index('audit_by_object').on(table.objectType, table.objectId),
  ],
)
