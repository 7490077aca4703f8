import * as z from 'zod'
import { ISOLATIONS } from '../../domain/isolation.ts'
import { reportText, storableText } from '../../http/text-schemas.ts'
import { SOURCE_TYPES, TLS_MODES } from '../../data/sources/schema.ts'
import { DEPENDENCY_MANAGERS, RUNNER_KINDS } from '../scripts/detection.ts'

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

/** What a runner says of itself. */
export const aboutRunner = z.strictObject({
  name: storableText.min(1).max(255),
  labels: z.array(storableText.min(1).max(64)).max(32),
  capabilities: z.array(z.enum(RUNNER_KINDS)),
  isolation: z.enum(ISOLATIONS),
  /** Whether it takes jobs at that level; what is in the way of it, if it does not. */
  refusal: reportText.max(1_000).nullable(),
  slots: z.int().min(1).max(64),
  os: reportText.max(255),
  version: reportText.max(64),
})

export const registered = z.strictObject({
  runnerId: z.int(),
  token: z.string(),
  pollMs: z.int(),
  heartbeatMs: z.int(),
  leaseMs: z.int(),
})

/** `running` are the jobs that it still has: what the service takes to be there and is not named is lost. */
export const poll = z.strictObject({
  free: z.int().min(0).max(64),
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
  /** How long one statement may take; 0: as long as it does. */
  timeoutMs: z.int(),
})

/** A job to be done now, and all that it needs. */
export const assignment = z.strictObject({
  id: z.string(),
  attempt: z.int(),
  /** Goes with every call about this attempt; refused once somebody else has the job. */
  attemptToken: z.string(),
  script: z.strictObject({
    id: z.int(),
    name: z.string(),
    runner: z.enum(RUNNER_KINDS),
    /** The path in the tree of what is started. */
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
  /** 0: none. */
  timeoutMs: z.int(),
  /** What it may reach, each as host:port, beside the service itself. */
  network: z.array(z.string()),
  /** Patterns of files of the runner's machine that it may read, in what its operator opened. */
  filesystem: z.array(z.string()),
  /** What it may reach as well, and is told how. */
  database: databaseTarget.nullable(),
})

export const polled = z.strictObject({ jobs: z.array(assignment) })

export const started = z.strictObject({ isolation: z.enum(ISOLATIONS) })

/** How an attempt ended; the service counts `cancelled` as such only when somebody asked for it. */
export const finished = z.strictObject({
  outcome: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled']),
  exitCode: z.int().nullable(),
  error: reportText.max(10_000).nullable(),
  /** Lines of the log in all, those that were not sent or not kept as well. */
  logLines: z.int().min(0),
})

export const beat = z.strictObject({ cancel: z.boolean() })

export const logLine = z.strictObject({
  /** From 1, rising by one with every line of the job. */
  line: z.int().min(1),
  at: z.int(),
  stream: z.enum(['stdout', 'stderr', 'system']),
  text: reportText.max(LOG_LINE_MAX),
})

/** `sequence` rises by one from 1; one that was taken before changes nothing. Lines may be left out between the first
 * and the last that are kept. */
export const logChunk = z.strictObject({
  sequence: z.int().min(1),
  lines: z.array(logLine).max(LOG_CHUNK_LINES),
})

export const progress = z.strictObject({
  value: z.number().min(0).max(1).nullable(),
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
