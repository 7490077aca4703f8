import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** Maintenance, corrections of the past, and comments on objects and their subtrees. */
export const revaluations = sqliteTable(
  'revaluations',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    type: text().notNull(),
    adjustTo: text('adjust_to').notNull(),
    beginAt: integer('begin_at').notNull(),
    endAt: integer('end_at').notNull(),
    name: text().notNull(),
    incident: text(),
    comment: text(),
    slaRelevant: integer('sla_relevant', { mode: 'boolean' }).notNull(),
    /** The times between begin and end at which the revaluation applies, as JSON. */
    active: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** True for a correction of the past, false for a revaluation that took or takes effect live. */
    inPast: integer('in_past', { mode: 'boolean' }).notNull(),
    /** The other part of what began before it was entered. */
    linkedId: integer('linked_id'),
    editOnly: integer('edit_only', { mode: 'boolean' }).notNull(),
    /** True from the begin to the end of each occurrence. */
    running: integer({ mode: 'boolean' }).notNull(),
    /** The next begin or end of an occurrence; null without one. */
    nextAt: integer('next_at'),
    cancelledAt: integer('cancelled_at'),
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: integer('created_by').notNull(),
  },
  (table) => [
    index('revaluations_by_object').on(table.objectId, table.endAt),
    index('revaluations_by_begin').on(table.beginAt, table.id, table.endAt),
    index('revaluations_by_next')
      .on(table.nextAt)
      .where(sql`next_at is not null`),
    index('revaluations_in_past')
      .on(table.endAt)
      .where(sql`in_past = 1`),
    index('revaluations_running')
      .on(table.objectId)
      .where(sql`running = 1`),
  ],
)
