import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { users } from './access.ts'
import { objects } from './tree.ts'

/** The source of alarms: an object or its subtree, and the state from which on they open. */
export const alarmLinks = sqliteTable(
  'alarm_links',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    /** Counts the links of an object from 0. */
    position: integer().notNull(),
    /** `object`: the object itself. `below`: every job, service level object and container at or below it. */
    covers: text().notNull(),
    minState: text('min_state').notNull(),
    /** Null for alarms that are listed and not sent. */
    recipientId: integer('recipient_id'),
    /** The delay before an alarm is sent. */
    delayMs: integer('delay_ms').notNull(),
    /** How long an object has to be well before its alarm closes. */
    recoveryDelayMs: integer('recovery_delay_ms').notNull(),
    /** The kinds of changes that are sent, as a JSON array. */
    events: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    /** The path up to which alarms of objects that were already bad have been opened; null once all have. */
    openedTo: text('opened_to'),
  },
  (table) => [
    index('alarm_links_opening')
      .on(table.id)
      .where(sql`opened_to is not null`),
    index('alarm_links_by_object').on(table.objectId, table.position),
    index('alarm_links_by_recipient').on(table.recipientId),
  ],
)

/** The alarms of objects. An object has at most one open alarm for each link that covers the object. */
export const alarms = sqliteTable(
  'alarms',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    linkId: integer('link_id').notNull(),
    /** The number of the object's transition that opened it: object, link and this name it for good. */
    openedSeq: integer('opened_seq').notNull(),
    /** `open`, `assigned`, `closed` */
    status: text().notNull(),
    /** The latest state that was one of the levels, and the worst. */
    state: text().notNull(),
    worstState: text('worst_state').notNull(),
    beginAt: integer('begin_at').notNull(),
    /** The time at which the object recovered; null while the alarm is open. */
    endAt: integer('end_at'),
    /** The reason and message of the transition that opened it. */
    reason: text().notNull(),
    message: text(),
    /** The last sign of life of what fell silent. */
    silentSinceAt: integer('silent_since_at'),
    /** Null where it is not assigned, and where who had it is gone. */
    assigneeId: integer('assignee_id').references(() => users.id, { onDelete: 'set null' }),
    /** Null while it is assigned for good, or not at all. */
    assignedUntilAt: integer('assigned_until_at'),
    /** Whether it stays assigned when it gets worse. */
    sticky: integer({ mode: 'boolean' }).notNull(),
    /** The open alarm that explains this one. */
    suppressedBy: integer('suppressed_by'),
    /** The reason why it is held: `maintenance`, `flapping` or `delay`; null for an alarm that is not held. */
    heldReason: text('held_reason'),
    maintained: integer({ mode: 'boolean' }).notNull(),
    flapping: integer({ mode: 'boolean' }).notNull(),
    /** The end of the delay of the link; null after the end. */
    delayedUntilAt: integer('delayed_until_at'),
    /** The time at which the object recovered, while the recovery delay of the link runs. */
    wellSinceAt: integer('well_since_at'),
    /** The next time at which the alarm changes without an event; null for none. */
    dueAt: integer('due_at'),
    /** Whether the alarm that explained it has closed since the last check. */
    isUnexplained: integer('is_unexplained', { mode: 'boolean' }).notNull().default(false),
    /** Counts its changes from 1. */
    version: integer().notNull(),
  },
  (table) => [
    uniqueIndex('alarms_by_opening').on(table.objectId, table.linkId, table.openedSeq),
    uniqueIndex('alarms_open')
      .on(table.objectId, table.linkId)
      .where(sql`end_at is null`),
    index('alarms_by_begin').on(table.beginAt, table.id),
    index('alarms_by_status').on(table.status, table.beginAt, table.id),
    index('alarms_by_link').on(table.linkId, table.status),
    index('alarms_by_assignee')
      .on(table.assigneeId, table.beginAt)
      .where(sql`assignee_id is not null`),
    index('alarms_by_due')
      .on(table.dueAt)
      .where(sql`due_at is not null`),
    index('alarms_by_suppressor')
      .on(table.suppressedBy)
      .where(sql`suppressed_by is not null`),
    index('alarms_unexplained')
      .on(table.id)
      .where(sql`is_unexplained = 1`),
    index('alarms_of_nobody')
      .on(table.id)
      .where(sql`status = 'assigned' and assignee_id is null`),
    index('alarms_by_end')
      .on(table.endAt)
      .where(sql`end_at is not null`),
  ],
)

/** A comment on an alarm. */
export const alarmComments = sqliteTable(
  'alarm_comments',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    alarmId: integer('alarm_id')
      .notNull()
      .references(() => alarms.id, { onDelete: 'cascade' }),
    /** The author; 0 for the system. */
    userId: integer('user_id').notNull(),
    text: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('alarm_comments_by_alarm').on(table.alarmId, table.id)],
)

/** Everything that ever happened to an alarm, in the order in which it was kept; written with the alarm itself. A row
 * outlives the alarm and the object. */
export const alarmChanges = sqliteTable(
  'alarm_changes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    alarmId: integer('alarm_id').notNull(),
    /** The version of the alarm that the change made. */
    version: integer().notNull(),
    objectId: integer('object_id').notNull(),
    linkId: integer('link_id').notNull(),
    at: integer().notNull(),
    /** A `ChangeKind` (`src/monitoring/alarms/alarm.ts`). */
    kind: text().notNull(),
    state: text().notNull(),
    details: text({ mode: 'json' }).$type<unknown>().notNull(),
  },
  (table) => [uniqueIndex('alarm_changes_by_alarm').on(table.alarmId, table.version)],
)
