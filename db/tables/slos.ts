import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** The columns of service level objects beyond the columns of every object. */
export const slos = sqliteTable(
  'slos',
  {
    id: integer()
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    deviceId: integer('device_id').notNull(),
    stateOperation: text('state_operation').notNull(),
    pushState: text('push_state').notNull(),
    sortMode: text('sort_mode').notNull(),
    /** The six counters and whether maintenance is ignored: what decides the state, as JSON. */
    rules: text({ mode: 'json' }).$type<unknown>().notNull(),
    isReason: integer('is_reason', { mode: 'boolean' }).notNull(),
    costsPerMin: real('costs_per_min').notNull(),
    currency: text().notNull(),
    riskFactor: real('risk_factor').notNull(),
    /** Which objects it counts beside those it is linked to: a group and a filter definition, as JSON. */
    childrenFilter: text('children_filter', { mode: 'json' }).$type<unknown>(),
    /** Whether the filter finds more than are counted. */
    isFull: integer('is_full', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('slos_by_filter')
      .on(table.id)
      .where(sql`children_filter is not null`),
  ],
)

/** Children that objects have beyond the tree: what the state of a service level object or container is made of. */
export const links = sqliteTable(
  'links',
  {
    parentId: integer('parent_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    childId: integer('child_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    /** Counts the children of a parent from 0; 0 for all that a filter found. */
    position: integer().notNull(),
    weight: integer().notNull(),
    /** The state that the parent counts for each state of the child, as a JSON object. */
    overrides: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** Found by the parent's filter, and not linked by hand. */
    byFilter: integer('by_filter', { mode: 'boolean' }).notNull().default(false),
    /** Found, and not counted, because the parent is part of it. */
    isLeftOut: integer('is_left_out', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.parentId, table.childId] }),
    index('links_by_child').on(table.childId),
  ],
)
