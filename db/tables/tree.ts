import { sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Groups, devices and jobs: what the nodes of the tree have in common. */
export const objects = sqliteTable(
  'objects',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    type: text().notNull(),
    subType: text('sub_type').notNull(),
    name: text().notNull(),
    nameFolded: text('name_folded').notNull(),
    /** Null for the root group only. */
    parentId: integer('parent_id').references((): AnySQLiteColumn => objects.id),
    /** The ids from the root to this object, each between slashes: `/1/5/9/`. */
    path: text().notNull(),
    isTemplate: integer('is_template', { mode: 'boolean' }).notNull(),
    instanceType: text('instance_type').notNull(),
    templateId: integer('template_id'),
    collectorId: integer('collector_id').notNull(),
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('objects_by_parent').on(table.parentId, table.type, table.nameFolded),
    uniqueIndex('objects_by_path').on(table.path),
    index('objects_by_name').on(table.nameFolded),
    index('objects_by_type').on(table.type, table.path),
    index('objects_by_sub_type').on(table.type, table.subType),
    index('objects_by_template')
      .on(table.templateId)
      .where(sql`template_id is not null`),
  ],
)

export const devices = sqliteTable(
  'devices',
  {
    id: integer()
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    netmask: text().notNull(),
    deviceName: text('device_name').notNull(),
    parameter: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index('devices_by_address').on(table.address), index('devices_by_netmask').on(table.netmask)],
)

export const properties = sqliteTable(
  'properties',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    objectId: integer('object_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    value: text().notNull(),
    /** The value as a number where it is one, so that filters can compare it. */
    number: real(),
  },
  (table) => [
    uniqueIndex('properties_by_object').on(table.objectId, table.key),
    index('properties_by_value').on(table.key, table.value),
    index('properties_by_number').on(table.key, table.number),
  ],
)
