import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { scripts } from './scripts.ts'

/** Nodes that run scripts: they dial in. */
export const runners = sqliteTable('runners', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  /** SHA-256 of its token, hexadecimal. */
  tokenHash: text('token_hash').notNull().unique(),
  /** The report of the runner as JSON: labels, capabilities, isolation, versions. */
  about: text({ mode: 'json' }).$type<unknown>().notNull(),
  registeredAt: integer('registered_at').notNull(),
  seenAt: integer('seen_at').notNull(),
})

/** Jobs of scripts: one row for each time that one is to run, is running, or ran. */
export const runs = sqliteTable(
  'runs',
  {
    /** `j_` and a ULID: later ones sort behind. */
    id: text().primaryKey(),
    scriptId: integer('script_id')
      .notNull()
      .references(() => scripts.id, { onDelete: 'cascade' }),
    /** 0 for the implicit one of a script without configurations. No reference: runs stay listed after the configuration is
     * deleted. */
    runConfigurationId: integer('run_configuration_id').notNull(),
    /** `manual`, `schedule`, `webhook`, `dashboard`, `dataSource`, `alarm` */
    trigger: text().notNull(),
    /** In whose name. No reference: the user may be gone. */
    userId: integer('user_id'),
    /** `queued`, `assigned`, `preparing`, `running`, `succeeded`, `failed`, `timed_out`, `cancelled`, `lost` */
    state: text().notNull(),
    /** The number of the attempt, from 1. */
    attempt: integer().notNull(),
    /** The order, as JSON: arguments and parameters of the caller, and the configuration at that time, without secrets. */
    order: text({ mode: 'json' }).$type<unknown>().notNull(),
    /** How often it is tried again when it is lost; as its configuration said when it was assigned. */
    retries: integer().notNull(),
    /** The present or last runner. */
    runnerId: integer('runner_id'),
    runnerName: text('runner_name'),
    /** The session that its script has meanwhile. */
    sessionHash: text('session_hash'),
    /** SHA-256 of the token of the attempt, hexadecimal; null before a runner has it, and once it was taken away. */
    attemptHash: text('attempt_hash'),
    /** The end of the lease of the runner; null without a runner. */
    leaseUntil: integer('lease_until'),
    isCancelled: integer('is_cancelled', { mode: 'boolean' }).notNull(),
    exitCode: integer('exit_code'),
    /** 0 to 1. */
    progress: real(),
    progressMessage: text('progress_message'),
    /** The last sequence of log chunks that was kept. */
    logSequence: integer('log_sequence').notNull(),
    logLines: integer('log_lines').notNull(),
    /** How it was kept apart: `full`, `reduced`, `uid`, `none`; null before it began. */
    isolation: text(),
    error: text(),
    /** The webhook job that its end is reported to; null for none. No reference: the job may be gone. */
    reportTo: integer('report_to'),
    /** `due`, `delivered`, or the code of the refusal; null until it has ended. */
    reportState: text('report_state'),
    queuedAt: integer('queued_at').notNull(),
    startedAt: integer('started_at'),
    finishedAt: integer('finished_at'),
  },
  (table) => [
    index('runs_by_script').on(table.scriptId, table.id),
    index('runs_by_configuration').on(table.scriptId, table.runConfigurationId, table.id),
    index('runs_queued')
      .on(table.scriptId, table.runConfigurationId, table.id)
      .where(sql`state = 'queued'`),
    /** One at a time of each configuration. */
    uniqueIndex('runs_held')
      .on(table.scriptId, table.runConfigurationId)
      .where(sql`lease_until is not null`),
    index('runs_by_lease')
      .on(table.leaseUntil)
      .where(sql`lease_until is not null`),
    index('runs_to_report')
      .on(table.id)
      .where(sql`report_state = 'due'`),
    index('runs_finished')
      .on(table.scriptId, table.id)
      .where(sql`finished_at is not null`),
  ],
)

/** The lines of a job's log that are kept: the first hundred, and the last nine hundred. */
export const runLogLines = sqliteTable(
  'run_log_lines',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    /** The number of the line, from 1. */
    line: integer().notNull(),
    at: integer().notNull(),
    /** `stdout`, `stderr`, `system` */
    stream: text().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.line] })],
)

/** Input files of a job, its output files, and the files of its script while it is held. */
export const runFiles = sqliteTable(
  'run_files',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    /** `upload`, `output`; `tree`, whose bytes are the script's */
    kind: text().notNull(),
    name: text().notNull(),
    /** The key of the bytes: of uploads and outputs one that no other row has or had. */
    blob: text().notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    sha256: text().notNull(),
    mimeType: text('mime_type').notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.kind, table.name] })],
)

/** Orders that came with an `Idempotency-Key`. */
export const runRepeats = sqliteTable(
  'run_repeats',
  {
    userId: integer('user_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of the order, hexadecimal. */
    digest: text().notNull(),
    /** No reference: an order is not repeated once its run is deleted. */
    runId: text('run_id').notNull(),
    untilAt: integer('until_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index('run_repeats_by_time').on(table.untilAt),
  ],
)
