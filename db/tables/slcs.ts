import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** The columns of service level containers beyond the columns of every object. */
export const slcs = sqliteTable(
  'slcs',
  {
    id: integer()
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    duration: text().notNull(),
    resetInterval: text('reset_interval').notNull(),
    timeZone: text('time_zone').notNull(),
    /** Percent. */
    limit: real('limit_percent').notNull(),
    target: real('target_percent'),
    /** Percent of the credit. */
    warnAt: real('warn_at_percent').notNull(),
    /** Windows of each week in local time; null is always. */
    activeTime: text('active_time', { mode: 'json' }).$type<unknown>(),
    /** The next time at which the period is judged or frozen. */
    nextAt: integer('next_at').notNull(),
    /** The end of the judged part and the data of the judgement, as JSON; null before the first judgement. */
    judged: text({ mode: 'json' }).$type<unknown>(),
    /** Up to where periods are frozen. */
    frozenUntilAt: integer('frozen_until_at').notNull(),
  },
  (table) => [index('slcs_by_next').on(table.nextAt)],
)

/** Periods that are over; never changed. */
export const slcPeriods = sqliteTable(
  'slc_periods',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    slcId: integer('slc_id')
      .notNull()
      .references(() => slcs.id, { onDelete: 'cascade' }),
    beginAt: integer('begin_at').notNull(),
    endAt: integer('end_at').notNull(),
    /** The agreement at that time and its children, as JSON. */
    terms: text({ mode: 'json' }).$type<unknown>().notNull(),
  },
  (table) => [uniqueIndex('slc_periods_by_end').on(table.slcId, table.endAt)],
)

/** The result of a period: one row from its freeze, and one for each recalculation. */
export const slcRevisions = sqliteTable(
  'slc_revisions',
  {
    periodId: integer('period_id')
      .notNull()
      .references(() => slcPeriods.id, { onDelete: 'cascade' }),
    revision: integer().notNull(),
    activeMs: integer('active_ms').notNull(),
    usedMs: integer('used_ms').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Both null for the first. */
    author: text(),
    reason: text(),
  },
  (table) => [primaryKey({ columns: [table.periodId, table.revision] })],
)

/** The times at which containers entered and left maintenance. */
export const slcMaintenance = sqliteTable(
  'slc_maintenance',
  {
    slcId: integer('slc_id')
      .notNull()
      .references(() => slcs.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    at: integer().notNull(),
    /** Whether it is in maintenance from then on. */
    maintained: integer({ mode: 'boolean' }).notNull(),
    /** Whether it uses no credit from then on. */
    excused: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.slcId, table.seq] })],
)
