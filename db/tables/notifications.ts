import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Recipients of alarms, and the way to them. */
export const alarmRecipients = sqliteTable('alarm_recipients', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  type: text().notNull(),
  /** The address and the secrets of the recipient, as sealed JSON. */
  target: text().notNull(),
  /** The part that answers may show. */
  shownTarget: text('shown_target').notNull(),
  /** The user or the user group that it is, where it is one. */
  userId: integer('user_id'),
  userGroupId: integer('user_group_id'),
  /** Times, kinds and language of its messages, as JSON. */
  rules: text({ mode: 'json' }).$type<unknown>().notNull(),
  /** The number of alarms that the members of a group got in turn. */
  handedOut: integer('handed_out').notNull(),
  /** The outcome of the latest message: `ok`, `failed`, or null before the first. */
  lastStatus: text('last_status'),
  lastDetail: text('last_detail'),
  lastAt: integer('last_at'),
  version: integer().notNull(),
  createdAt: integer('created_at').notNull(),
})

/** A message on its way to one recipient, or the record of one. */
export const notifications = sqliteTable(
  'notifications',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The idempotency key of the message, which all attempts share. */
    key: text().notNull().unique(),
    recipientId: integer('recipient_id')
      .notNull()
      .references(() => alarmRecipients.id, { onDelete: 'cascade' }),
    /** The user that it is for; 0 for a recipient that is not made of users. */
    userId: integer('user_id').notNull(),
    /** `waiting`, `sent`, `dead` */
    status: text().notNull(),
    attempts: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    /** The time of the next attempt; null for a sent or dead message. */
    nextAt: integer('next_at'),
    /** The time after which the message is dead. */
    giveUpAt: integer('give_up_at').notNull(),
    finishedAt: integer('finished_at'),
    /** The error or reply of the latest attempt. */
    detail: text().notNull(),
  },
  (table) => [
    index('notifications_by_recipient').on(table.recipientId, table.userId, table.createdAt),
    index('notifications_by_status').on(table.status, table.id),
    index('notifications_by_next')
      .on(table.nextAt)
      .where(sql`next_at is not null`),
    index('notifications_by_end')
      .on(table.finishedAt)
      .where(sql`finished_at is not null`),
  ],
)

/** One thing to tell one recipient of one alarm: waiting until it is due, then part of a message. */
export const notices = sqliteTable(
  'notices',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The change of the alarm that it follows from. */
    changeId: integer('change_id').notNull(),
    alarmId: integer('alarm_id').notNull(),
    objectId: integer('object_id').notNull(),
    recipientId: integer('recipient_id')
      .notNull()
      .references(() => alarmRecipients.id, { onDelete: 'cascade' }),
    userId: integer('user_id').notNull(),
    kind: text().notNull(),
    /** Which reminder or escalation it is, from 1; 0 for what follows at once. */
    step: integer().notNull(),
    dueAt: integer('due_at').notNull(),
    /** The content of the message about the alarm, as JSON. */
    facts: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The message that tells it; null while it waits. */
    notificationId: integer('notification_id').references(() => notifications.id, { onDelete: 'cascade' }),
  },
  (table) => [
    uniqueIndex('notices_once').on(table.changeId, table.recipientId, table.userId, table.kind, table.step),
    index('notices_due')
      .on(table.dueAt)
      .where(sql`notification_id is null`),
    index('notices_by_alarm').on(table.alarmId),
    index('notices_by_recipient').on(table.recipientId),
    index('notices_by_notification').on(table.notificationId),
  ],
)

/** Up to which change of an alarm notices were made: one row. */
export const noticeProgress = sqliteTable('notice_progress', {
  id: integer().primaryKey(),
  changeId: integer('change_id').notNull(),
})

/** One row while notifications are paused. */
export const notificationPauses = sqliteTable('notification_pauses', {
  id: integer().primaryKey(),
  sinceAt: integer('since_at').notNull(),
})
