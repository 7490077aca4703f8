import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

import { objects } from './tree.ts'

/** Dependencies of objects beyond the tree: an object cannot be well while its dependency is bad. */
export const dependencies = sqliteTable(
  'dependencies',
  {
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    dependsOnId: integer('depends_on_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.objectId, table.dependsOnId] }),
    index('dependencies_by_target').on(table.dependsOnId, table.objectId),
  ],
)
