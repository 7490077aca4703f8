import type { Blobs } from './blobs.ts'
import type { SteadyClock } from './clock.ts'
import type { ConsoleAssets } from './console-assets.ts'
import type { Database } from './database.ts'
import type { Databases } from './databases.ts'
import type { Directory } from './directory.ts'
import type { Dispatch } from './dispatch.ts'
import type { Events } from './events.ts'
import type { StatePipeline } from './flow.ts'
import type { IngestHealth } from './ingest-health.ts'
import type { JobActors } from './job-actors.ts'
import type { Log } from './log.ts'
import type { Mail } from './mail.ts'
import type { Network } from './network.ts'
import type { RefusedDeliveries } from './refused-deliveries.ts'
import type { Scripts } from './scripts.ts'
import type { Secrets } from './secrets.ts'
import type { Settings } from './settings.ts'
import type { Tables } from './tables.ts'
import type { Traces } from './traces.ts'
import type { Translator } from './translator.ts'

/** The interfaces that a host provides to the application. */
export type Ports = {
  readonly database: Database
  /** A number that grows with each write to the system database, before the writer is answered. Absent where other processes
   * or isolates write to it as well. */
  readonly databaseWrites?: () => number
  readonly blobs: Blobs
  readonly databases: Databases
  readonly jobActors: JobActors
  readonly refusedDeliveries: RefusedDeliveries
  readonly flow: StatePipeline
  readonly dispatch: Dispatch
  readonly scripts: Scripts
  readonly events: Events
  readonly clock: SteadyClock
  readonly consoleAssets: ConsoleAssets
  readonly ingestHealth: IngestHealth
  /** Keeps work alive that a request has begun and does not wait for; null where a process does so anyway. */
  readonly inBackground: ((work: Promise<unknown>) => void) | null
  readonly log: Log
  readonly network: Network
  /** True where an answer takes its header fields faster one by one than as a list. */
  readonly appendsFields?: true
  /** The form of a body in which the host sends a text at least cost. Without it, the text is sent as it is. */
  readonly textBody?: (text: string) => string | ReadableStream
  /** Null where none is set. */
  readonly directory: Directory | null
  readonly mail: Mail
  readonly secrets: Secrets
  readonly settings: Settings
  readonly tables: Tables
  /** Null where the settings ask for no traces. */
  readonly traces: Traces | null
  /** The machine translation that the host brings; null where it brings none. */
  readonly translator: Translator | null
}
