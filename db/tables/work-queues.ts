import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { objects } from './tree.ts'

// `../work-queue.ts` says how a queue works.

/** The work queue of jobs whose actors do not have the latest configuration yet, or know a job that is deleted. */
export const staleJobConfigs = sqliteTable('stale_job_configs', {
  objectId: integer('object_id').primaryKey(),
  mark: integer().notNull(),
})

/** The work queue of parents whose children came, went or moved since they were counted, and of containers whose children
 * changed since they were judged. */
export const staleTallies = sqliteTable('stale_tallies', {
  objectId: integer('object_id')
    .primaryKey()
    .references(() => objects.id, { onDelete: 'cascade' }),
  mark: integer().notNull(),
})

/** The work queue of objects that changed since the filters of service level objects checked them, and of objects whose own
 * filter changed. */
export const staleMemberships = sqliteTable('stale_memberships', {
  objectId: integer('object_id')
    .primaryKey()
    .references(() => objects.id, { onDelete: 'cascade' }),
  mark: integer().notNull(),
  /** True if its own filter has to look at all objects. */
  isWhole: integer('is_whole', { mode: 'boolean' }).notNull(),
})

/** The work queue of objects that may have entered or left maintenance. */
export const staleMaintenance = sqliteTable('stale_maintenance', {
  objectId: integer('object_id')
    .primaryKey()
    .references(() => objects.id, { onDelete: 'cascade' }),
  at: integer().notNull(),
  mark: integer().notNull(),
})
