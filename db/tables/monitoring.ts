import { sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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

export const jobs = sqliteTable(
  'jobs',
  {
    id: integer()
      .primaryKey()
      .references(() => objects.id, { onDelete: 'cascade' }),
    interval: text().notNull(),
    intervalMs: integer('interval_ms').notNull(),
    stopped: integer({ mode: 'boolean' }).notNull(),
    parameters: text({ mode: 'json' }).$type<unknown>().notNull(),
    thresholds: text({ mode: 'json' }).$type<unknown>().notNull(),
    forcedState: text('forced_state'),
    flapping: text({ mode: 'json' }).$type<unknown>(),
  },
  (table) => [index('jobs_by_interval').on(table.intervalMs), index('jobs_by_stopped').on(table.stopped)],
)

/** The names of a job's values, for filters. */
export const jobValues = sqliteTable(
  'job_values',
  {
    jobId: integer('job_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    nameFolded: text('name_folded').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.key] }),
    index('job_values_by_key').on(table.key),
    index('job_values_by_name').on(table.nameFolded),
  ],
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
    /** What a job's actor says that its state is, whatever is maintained; null as long as it is `state`. */
    bare: text(),
    /** Whether the object, or one above it, is in maintenance. */
    maintained: integer({ mode: 'boolean' }).notNull().default(false),
    /** How many children are in each state, as a JSON array in the order of `STATES`; null before they were counted. */
    tally: text({ mode: 'json' }).$type<readonly number[]>(),
    /** The latest instant at which a child has changed, and what the object was just before, as JSON; null for none. */
    moment: text({ mode: 'json' }).$type<unknown>(),
    /** State, since when, whether maintained, tally and moment, as service level containers take it; null where that is as it is. */
    charged: text({ mode: 'json' }).$type<unknown>(),
    /** Whether a job's actor says that it flaps. */
    flapping: integer({ mode: 'boolean' }).notNull().default(false),
    /** The number of the latest transition that alarms were made of, and what they know of `flapping`. */
    alarmedSeq: integer('alarmed_seq').notNull().default(0),
    alarmedFlapping: integer('alarmed_flapping', { mode: 'boolean' }).notNull().default(false),
    /** What a bad job has told that is no change of its state, as JSON; null once its alarms have followed. */
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
  ],
)

/** What service level containers take an object for from an instant on; null for what it is. */
export const charges = sqliteTable(
  'charges',
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

/** The tokens of push URLs: whoever knows one delivers to its job. */
export const pings = sqliteTable(
  'pings',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    jobId: integer('job_id')
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null for one that holds until it is revoked. */
    expiresAt: integer('expires_at'),
    /** The user who made it, who may be deleted; 0 for the service itself. */
    makerId: integer('maker_id').notNull(),
  },
  (table) => [uniqueIndex('pings_by_hash').on(table.hash), index('pings_by_job').on(table.jobId, table.id)],
)

/** What service level objects have beyond other objects. */
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
    /** What the parent takes a state of the child for, as a JSON object of states. */
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

/** What objects depend on beyond the tree: without the one the other cannot be well. */
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
