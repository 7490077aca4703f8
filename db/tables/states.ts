import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** The current state of each object: what the actors of jobs have told, a moment behind them at most. */
export const states = sqliteTable(
  'states',
  {
    objectId: integer('object_id')
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    state: text().notNull(),
    sinceAt: integer('since_at').notNull(),
    /** The number that a job's actor gave the latest transition that was heard of; null as long as it is `seq`. */
    heard: integer(),
    /** The state of a job by its actor, regardless of maintenance; null as long as it is `state`. */
    bare: text(),
    /** Whether the object, or one above it, is in maintenance. */
    maintained: integer({ mode: 'boolean' }).notNull().default(false),
    /** How many children are in each state, as a JSON array in the order of `STATES`; null before they were counted. */
    tally: text({ mode: 'json' }).$type<readonly number[]>(),
    /** The latest instant at which a child has changed, and what the object was just before, as JSON; null for none. */
    moment: text({ mode: 'json' }).$type<unknown>(),
    /** State, since when, whether maintained, tally and moment, as service level containers take it; null where that is as it is. */
    slaState: text('sla_state', { mode: 'json' }).$type<unknown>(),
    /** Whether a job's actor says that it flaps. */
    flapping: integer({ mode: 'boolean' }).notNull().default(false),
    /** The number of the latest transition that alarms were made of, and what they know of `flapping`. */
    alarmedSeq: integer('alarmed_seq').notNull().default(0),
    alarmedFlapping: integer('alarmed_flapping', { mode: 'boolean' }).notNull().default(false),
    /** News of a bad job without a change of its state, as JSON; null once its alarms have followed. */
    news: text(),
  },
  (table) => [
    index('states_by_state').on(table.state, table.objectId),
    index('states_unalarmed')
      .on(table.objectId)
      .where(sql`alarmed_seq < seq or alarmed_flapping <> flapping or news is not null`),
  ],
)

export const transitions = sqliteTable(
  'transitions',
  {
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    at: integer().notNull(),
    detectedAt: integer('detected_at').notNull(),
    fromState: text('from_state').notNull(),
    toState: text('to_state').notNull(),
    reason: text().notNull(),
    errorCode: integer('error_code').notNull(),
    message: text(),
    silentSinceAt: integer('silent_since_at'),
    /** The child that changed a parent; null where the object changed by itself. */
    causeId: integer('cause_id'),
  },
  (table) => [
    primaryKey({ columns: [table.objectId, table.seq] }),
    index('transitions_by_time').on(table.objectId, table.at),
    index('transitions_by_instant').on(table.at, table.objectId, table.seq),
  ],
)

/** The state that service level containers count for an object from an instant on; null for its own state. */
export const slaChanges = sqliteTable(
  'sla_changes',
  {
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    at: integer().notNull(),
    toState: text('to_state'),
  },
  (table) => [primaryKey({ columns: [table.objectId, table.seq] })],
)
