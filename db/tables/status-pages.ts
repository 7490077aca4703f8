import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** Objects that are public at a secret address: as a page, and as a badge at an address of its own. */
export const statusPages = sqliteTable(
  'status_pages',
  {
    objectId: integer('object_id')
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    pageHash: text('page_hash').notNull(),
    pageSealed: text('page_sealed').notNull(),
    badgeHash: text('badge_hash').notNull(),
    badgeSealed: text('badge_sealed').notNull(),
    /** Of how many days the availability is shown. */
    days: integer().notNull(),
    /** The public name of the object; null for its own name. */
    title: text(),
  },
  (table) => [
    uniqueIndex('status_pages_by_page').on(table.pageHash),
    uniqueIndex('status_pages_by_badge').on(table.badgeHash),
  ],
)

/** Further objects of a page, in this order. */
export const statusPageChildren = sqliteTable(
  'status_page_children',
  {
    objectId: integer('object_id')
      .notNull()
      .references(() => statusPages.objectId, { onDelete: 'cascade' }),
    childId: integer('child_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.objectId, table.childId] }),
    index('status_page_children_by_child').on(table.childId),
  ],
)
