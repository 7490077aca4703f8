import * as z from 'zod'
import { ISOLATIONS } from '../../domain/isolation.ts'
import { reportText, storableText } from '../../http/text-schemas.ts'
import { SOURCE_TYPES, TLS_MODES } from '../../data/sources/schema.ts'
import { DEPENDENCY_MANAGERS, RUNNER_KINDS } from '../scripts/detection.ts'

/** The kinds of runs: scripts of these kinds, and forecasts. */
export const RUN_KINDS = [...RUNNER_KINDS, 'forecast'] as const
export type RunKind = (typeof RUN_KINDS)[number]

/** A kind of model that a file of the operator defines. */
const ownKind = z.string().regex(/^[a-z][a-z0-9_]{0,49}$/)
const OWN_KINDS_MAX = 50

/** How often a runner is heard of while it has jobs. */
export const HEARTBEAT_MS = 5_000
/** After this time without a word its jobs are lost. */
export const LEASE_MS = 25_000
/** How long a poll waits for a job: less than a connection may lie idle. */
export const POLL_MS = 25_000
export const LOG_CHUNK_LINES = 500
/** The body of a chunk, in bytes as it is sent. */
export const LOG_CHUNK_MAX_BYTES = 1024 * 1024
export const LOG_LINE_MAX = 10_000
/** Of a log the first and the last lines are kept. */
export const LOG_HEAD_LINES = 100
export const LOG_TAIL_LINES = 900
export const OUTPUTS_MAX = 20
export const OUTPUT_MAX_BYTES = 10 * 1024 * 1024

/** A runner's report about itself. */
export const aboutRunner = z.strictObject({
  name: storableText.min(1).max(255),
  labels: z.array(storableText.min(1).max(64)).max(32),
  capabilities: z.array(z.enum(RUN_KINDS)),
  forecastKinds: z
    .array(ownKind)
    .max(OWN_KINDS_MAX)
    .optional()
    .describe('The kinds of forecasts that files of the operator define.'),
  /** The faults of the operator's files for kinds of forecasts. */
  forecastRefusal: reportText.max(1_000).nullable().optional(),
  isolation: z.enum(ISOLATIONS),
  /** Whether it takes jobs at that level; what is in the way of it, if it does not. */
  refusal: reportText.max(1_000).nullable(),
  slots: z.int().min(1).max(64).describe('The number of runs that the runner executes at the same time.'),
  os: reportText.max(255),
  version: reportText.max(64),
})

export const registered = z.strictObject({
  runnerId: z.int(),
  token: z.string(),
  pollMs: z.int().describe('The interval of polls for runs, in milliseconds.'),
  heartbeatMs: z.int().describe('The interval of heartbeats of a run, in milliseconds.'),
  leaseMs: z.int().describe('A run without a call for this long, in milliseconds, is lost.'),
})

/** `running` are the runs that the runner still has; a run that is assigned to the runner and not named is lost. */
export const poll = z.strictObject({
  free: z.int().min(0).max(64).describe('The number of runs that the runner can accept now.'),
  running: z.array(z.string().max(64)).max(64),
})

const storedFile = z.strictObject({ path: z.string(), sha256: z.string(), sizeBytes: z.int() })

/** A database that a job connects to. */
const databaseTarget = z.strictObject({
  type: z.enum(SOURCE_TYPES),
  /** A name, or an address without brackets. */
  host: z.string(),
  port: z.int(),
  database: z.string(),
  schema: z.string().nullable(),
  user: z.string(),
  password: z.string().nullable(),
  tls: z.enum(TLS_MODES),
  access: z.enum(['read', 'write']),
  timeoutMs: z.int().describe('The time limit of a statement, in milliseconds; 0 for none.'),
})

/** A job to be done now, and all that it needs. */
export const assignment = z.strictObject({
  id: z.string(),
  attempt: z.int().describe('The attempt, from 1.'),
  /** Part of every call about this attempt; refused once another runner has the job. */
  attemptToken: z.string(),
  script: z.strictObject({
    id: z.int(),
    name: z.string(),
    runner: z.enum(RUN_KINDS),
    /** The path in the tree of the file that is started. */
    runnerFile: z.string(),
    dependencyManager: z.enum(DEPENDENCY_MANAGERS),
  }),
  files: z.array(storedFile),
  directories: z.array(z.string()),
  /** Files that came with the call: `path` is their name. */
  uploads: z.array(storedFile),
  arguments: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  /** Names of variables whose values are masked in logs. */
  secretNames: z.array(z.string()),
  timeoutMs: z.int().describe('The time limit of the run, in milliseconds; 0 for none.'),
  /** The addresses that it may reach, each as host:port, beside the service itself. */
  network: z.array(z.string()),
  /** Patterns of files of the runner's machine that it may read, in what its operator opened. */
  filesystem: z.array(z.string()),
  /** A further target that it may reach, with its connection settings. */
  database: databaseTarget.nullable(),
  /** The kind of model of a forecast; null for a script. */
  forecast: z.strictObject({ kind: z.string() }).nullable(),
})

export const polled = z.strictObject({ jobs: z.array(assignment) })

export const started = z.strictObject({ isolation: z.enum(ISOLATIONS) })

/** How an attempt ended; the service counts `cancelled` as such only when a user asked for it. */
export const finished = z.strictObject({
  outcome: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled']),
  exitCode: z.int().nullable().describe('The exit code of the process; null if it has none.'),
  error: reportText.max(10_000).nullable(),
  logLines: z
    .int()
    .min(0)
    .describe(
      'The number of lines that the run has written, including lines that were not sent or not stored.',
    ),
})

export const beat = z.strictObject({ cancel: z.boolean() })

export const logLine = z.strictObject({
  line: z.int().min(1).describe('The number of the line in the log of the run, from 1.'),
  at: z.int().describe('When the line was written, in milliseconds since 1970-01-01T00:00Z.'),
  stream: z.enum(['stdout', 'stderr', 'system']),
  text: reportText.max(LOG_LINE_MAX),
})

/** Lines may be missing between the first and the last lines that a log keeps. */
export const logChunk = z.strictObject({
  sequence: z
    .int()
    .min(1)
    .describe('The number of the chunk, from 1. A chunk that was stored before changes nothing.'),
  lines: z.array(logLine).max(LOG_CHUNK_LINES),
})

export const progress = z.strictObject({
  value: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('The progress, from 0 to 1; null if the script reports none.'),
  message: reportText.max(1_000).nullable(),
})

export type AboutRunner = z.infer<typeof aboutRunner>
export type Registered = z.infer<typeof registered>
export type Poll = z.infer<typeof poll>
export type Assignment = z.infer<typeof assignment>
export type DatabaseTarget = z.infer<typeof databaseTarget>
export type Polled = z.infer<typeof polled>
export type Started = z.infer<typeof started>
export type Finished = z.infer<typeof finished>
export type Beat = z.infer<typeof beat>
export type LogLine = z.infer<typeof logLine>
export type LogChunk = z.infer<typeof logChunk>
export type Progress = z.infer<typeof progress>
