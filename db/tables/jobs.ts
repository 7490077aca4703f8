import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

export const jobs = sqliteTable(
  'jobs',
  {
    id: integer()
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    interval: text().notNull(),
    intervalMs: integer('interval_ms').notNull(),
    stopped: integer({ mode: 'boolean' }).notNull(),
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    thresholds: text({ mode: 'json' }).$type<unknown>().notNull(),
    forcedState: text('forced_state'),
    flapping: text({ mode: 'json' }).$type<unknown>(),
  },
  (table) => [index('jobs_by_interval').on(table.intervalMs), index('jobs_by_stopped').on(table.stopped)],
)

/** The names of a job's values, for filters. */
export const jobValues = sqliteTable(
  'job_values',
  {
    jobId: integer('job_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    nameFolded: text('name_folded').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.key] }),
    index('job_values_by_key').on(table.key),
    index('job_values_by_name').on(table.nameFolded),
  ],
)

/** The jobs with a limit that is unknown, on hosts whose jobs live in other processes. */
export const unknownLimits = sqliteTable('unknown_limits', {
  jobId: integer('job_id')
    .primaryKey()
    .references(() => jobs.id, { onDelete: 'cascade' }),
  sinceAt: integer('since_at').notNull(),
})

/** The tokens of push URLs: the holder of one delivers to its job. */
export const pings = sqliteTable(
  'pings',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    jobId: integer('job_id')
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null for one that holds until it is revoked. */
    expiresAt: integer('expires_at'),
    /** The user who made it, who may be deleted; 0 for the service itself. */
    makerId: integer('maker_id').notNull(),
  },
  (table) => [uniqueIndex('pings_by_hash').on(table.hash), index('pings_by_job').on(table.jobId, table.id)],
)
