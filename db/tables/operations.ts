import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Long work that a request began and did not wait for. */
export const operations = sqliteTable(
  'operations',
  {
    /** `op_` and a ULID. */
    id: text().primaryKey(),
    /** The kind of the work, such as `backup`. */
    kind: text().notNull(),
    /** The path of the object that is worked on. */
    subject: text().notNull(),
    userId: integer('user_id').notNull(),
    /** The process or isolate that does the work. */
    node: text().notNull(),
    /** `queued`, `running`, `succeeded`, `failed`, `cancelled` */
    state: text().notNull(),
    /** The completed share, 0 to 1; null if unknown. */
    progress: real(),
    /** The node renews it while it works. Past it the operation is lost. */
    leaseUntilAt: integer('lease_until_at').notNull(),
    /** The time at which the user cancelled the operation. */
    cancelAt: integer('cancel_at'),
    /** The process of the database server that works for it. */
    backendPid: integer('backend_pid'),
    createdAt: integer('created_at').notNull(),
    startedAt: integer('started_at'),
    endedAt: integer('ended_at'),
    /** The refusal of a failed operation, as JSON. */
    error: text({ mode: 'json' }).$type<unknown>(),
    /** The bytes of the result, in the blob `operations/<id>`; null without a result. */
    resultBytes: integer('result_bytes'),
  },
  (table) => [
    index('operations_by_lease').on(table.leaseUntilAt),
    index('operations_by_user').on(table.userId),
  ],
)
