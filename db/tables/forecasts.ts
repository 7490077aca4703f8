import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { objects } from './tree.ts'

/** Forecasts of series: from where they come, and how they are predicted. */
export const forecasts = sqliteTable(
  'forecasts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text().notNull(),
    /** `Definition` of `src/analytics/forecasts/definition.ts` as JSON. */
    definition: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The user in whose name the source is read. No reference: a run of a deleted user fails with that reason. */
    ownerId: integer('owner_id').notNull(),
    version: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** When the schedule orders the next run; null without a schedule. */
    nextAt: integer('next_at'),
    /** The run whose results are there, and when it was ordered: values after that are not in it. */
    publishedRun: text('published_run'),
    readAt: integer('read_at'),
    publishedAt: integer('published_at'),
    /** `Summary` of `src/analytics/forecasts/results.ts` as JSON. */
    summary: text({ mode: 'json' }).$type<unknown>(),
    /** The latest failure as JSON, null after a success. */
    failure: text({ mode: 'json' }).$type<unknown>(),
  },
  (table) => [
    uniqueIndex('forecasts_by_name').on(sql`${table.name} collate nocase`),
    index('forecasts_by_next').on(table.nextAt),
  ],
)

/** The groups of the published run of a forecast. */
export const forecastGroups = sqliteTable(
  'forecast_groups',
  {
    forecastId: integer('forecast_id')
      .notNull()
      .references(() => forecasts.id, { onDelete: 'cascade' }),
    /** In the order of the series of the run, from 0. */
    number: integer().notNull(),
    /** The values of the group columns as a JSON array. */
    key: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** `good`, `fair`, `worse_than_naive`, `untested`, `failed` */
    quality: text().notNull(),
    /** `GroupOutcome` of `src/analytics/forecasts/results.ts` as JSON. */
    outcome: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** The predicted buckets as JSON; null beyond the first groups. */
    points: text({ mode: 'json' }).$type<unknown>(),
  },
  (table) => [primaryKey({ columns: [table.forecastId, table.number] })],
)

/** Predicted bounds of the values of jobs, for the limits of these jobs. */
export const forecastBands = sqliteTable(
  'forecast_bands',
  {
    jobId: integer('job_id')
      .notNull()
      .references(() => objects.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    forecastId: integer('forecast_id')
      .notNull()
      .references(() => forecasts.id, { onDelete: 'cascade' }),
    /** The time at which the history of the band was read. A later band replaces an earlier band. */
    madeAt: integer('made_at').notNull(),
    /** `ForecastBand` of `src/domain/forecast-band.ts` as JSON. */
    band: text({ mode: 'json' }).$type<unknown>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.key, table.forecastId] }),
    index('forecast_bands_by_forecast').on(table.forecastId),
  ],
)
