import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The demo plant; one row, and none without a plant. */
export const demo = sqliteTable('demo', {
  id: integer().primaryKey(),
  seed: text().notNull(),
  state: text({ enum: ['making', 'running', 'removing'] }).notNull(),
  anchorAt: integer('anchor_at').notNull(),
  /** The number of finished steps of the making. */
  step: integer().notNull(),
  /** The latest step of five minutes from the anchor whose samples were delivered. */
  fedStep: integer('fed_step').notNull(),
  /** The ids of the created objects, as JSON. */
  made: text({ mode: 'json' }).$type<unknown>().notNull(),
  heldUntilAt: integer('held_until_at').notNull(),
})
