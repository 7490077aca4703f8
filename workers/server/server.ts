import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createApp } from '../../src/app.ts'
import type { App } from '../../src/app.ts'
import { openDispatch, withScripts } from '../../src/automation/runs/service.ts'
import type { OpenDispatch } from '../../src/automation/runs/service.ts'
import { dueWork } from '../../src/analytics/forecasts/service/due.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import { RELEASE } from '../../src/operations/health/service.ts'
import { openTraces } from '../../src/operations/telemetry/service/traces.ts'
import { BEAT_MS, Hub } from '../../src/monitoring/events/service.ts'
import { maintenanceOf } from '../../src/monitoring/revaluations/overlays/service.ts'
import { RefusalMemory } from '../../src/monitoring/jobs/refusals/memory.ts'
import { openNotifier } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Notifier } from '../../src/monitoring/notifications/outbox/service.ts'
import type { SteadyClock } from '../../src/ports/clock.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Transition } from '../../src/domain/transition.ts'
import type { Range } from '../../src/lib/range.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { beginFirst, recover, runPeriodic, runNightly } from '../../src/background-jobs.ts'
import { jsonLog } from '../json-log.ts'
import { openLdap } from '../ldap.ts'
import { openMail } from '../mail.ts'
import { secretsOf } from '../secrets.ts'
import { openServerDatabases } from './databases.ts'
import { openConsoleAssets } from './console-assets.ts'
import { runWhenDue } from './due-watch.ts'
import { openEngine } from './engine-scheduler.ts'
import type { ScheduledEngine } from './engine-scheduler.ts'
import { EXIT } from './failures.ts'
import { runnerTokenOf } from './key-file.ts'
import { listen, urlOf } from './listener.ts'
import type { Listener } from './listener.ts'
import type { Runtime } from './runtime.ts'
import type { ServerSettings } from './settings.ts'
import { spreadOverTurns } from './pace.ts'
import { openStorage } from './storage.ts'
import type { OpenTables } from './tables/tables.ts'
import type { Keys, Storage } from './storage.ts'
import { valuesInLibsql } from './values.ts'
import { DAY_MS } from '../../src/lib/time.ts'

const DRAIN_MAX_MS = 10_000
const UPKEEP_MS = 60_000
const NIGHT_MS = 11_820_000
/** Enough for a thousand senders with a connection each. */
const FILES_MIN = 1_024

const MACHINE_CLOCK: SteadyClock = { now: () => Date.now(), monotonic: () => performance.now() }

/** A running service. */
export type Server = {
  readonly url: string
  /** The link that creates the first administrator; null if a user exists. */
  readonly setupLink: string | null
  /** The job that this start has made; null when the data are not new. */
  readonly firstJobId: number | null
  readonly ports: Ports
  readonly notifier: Notifier
  readonly dispatch: OpenDispatch
  /** Answers the accepted requests, stores all data, and ends. */
  close(): Promise<void>
}

/** The parts that a test may replace. A service has none of them. */
export type Seams = {
  readonly log?: Log
  readonly clock?: SteadyClock
  /** The length of a pause of the process from which on it is credited to senders. */
  readonly stallMs?: number
  /** The interval of periodic work. */
  readonly upkeepMs?: number
  readonly scrypt?: Secrets['scrypt']
  readonly values?: (values: ValuesDatabase) => ValuesDatabase
  readonly fetch?: (fetch: App['fetch'], ports: Ports) => App['fetch']
}

/** Starts the service on this machine: one process, its data under `settings.dataDir`.
 * @throws {Error} when the data cannot be opened or the port is taken */
export async function startServer(
  settings: ServerSettings,
  runtime: Runtime,
  seams: Seams = {},
): Promise<Server> {
  const { log = jsonLog(toStandardError), clock = MACHINE_CLOCK, stallMs, upkeepMs = UPKEEP_MS } = seams
  const { values: onTop = same, fetch: around = same } = seams
  const storage = await openStorage(settings, log)
  const { system, blobs } = storage
  const outside = openOutside(settings, { ...storage, log, clock }, { ...runtime, ...seams })
  const events = new Hub({ database: system.database, clock, log, settings })
  const refusedDeliveries = new RefusalMemory()
  const inside = { database: system.database, clock, log, events, refusedDeliveries }
  // A notifier that opens later finds due notices by itself.
  let onNotices = () => {}
  const flow = openStatePipeline(inside, () => onNotices())
  const engineHost = engineHostOf(storage, { ...inside, flow, onTop, traces: outside.traces })
  const scheduled = await openEngine(engineHost, stallMs)
  const { engine: jobActors, ingestHealth } = scheduled
  const tables = await runtime.openTables({ directory: join(settings.dataDir, 'tables'), blobs, clock, log })
  const parts = { ...inside, ...outside, blobs, tables, jobActors, ingestHealth, inBackground: null, flow }
  const dispatch = openDispatch(parts, dueWork)
  const databaseWrites = system.writeCount
  const { appendsFields, textBody } = runtime
  const known = {
    ...(databaseWrites && { databaseWrites }),
    ...(appendsFields && { appendsFields }),
    ...(textBody && { textBody }),
  }
  const ports = withScripts({ ...parts, dispatch, ...known })
  const notifier = openNotifier(ports)
  onNotices = () => notifier.wake()
  await warnOfFewFiles(log)
  const app = createApp(ports, { spread: spreadOverTurns, send: runtime.inFewSends })
  const { setupToken, firstJobId } = await beginFirst(ports)
  await recover(ports)
  const http = await listen(settings, around(app.fetch, ports), runtime.openListener)
  outside.network.listensAs(http)
  await scheduled.start()
  const endWatches = [flow, notifier, dispatch].map((one) => runWhenDue(one, { clock, log }))
  const upkeep = startPeriodicJobs(upkeepMs, ports)
  const endBeat = beatEvents(events, log)
  const url = urlOf(settings, http.port)
  log.info('started', { url, jobs: scheduled.engine.jobCount, ...aboutOf(settings, storage) })
  return {
    url,
    firstJobId,
    setupLink: setupToken === null ? null : `${url}/session/setup?token=${setupToken}`,
    ports,
    notifier,
    dispatch,
    close: () =>
      closeAll({ http, dispatch, endBeat, upkeep, endWatches, notifier, scheduled, storage, tables, ports }),
  }
}

type EngineSurroundings = Pick<Ports, 'database' | 'clock' | 'log' | 'traces'> & {
  readonly clock: SteadyClock
  readonly events: Hub
  readonly flow: OpenStatePipeline
  /** Replaces the values database. */
  readonly onTop: (values: ValuesDatabase) => ValuesDatabase
}

function engineHostOf(
  { room, values, blobs }: Storage,
  { database, clock, log, traces, events, flow, onTop }: EngineSurroundings,
) {
  const watch = {
    onCommit: (bytes: number) => room.spend(bytes),
    onBroken: (cause: unknown) => stopBroken(log, cause),
    onFull: () => room.ranOut(),
  }
  return {
    blobs,
    values: onTop(valuesInLibsql(values, watch)),
    clock,
    log,
    freeBytes: () => room.bytes,
    follow: (transitions: readonly Transition[]) => flow.apply(transitions),
    subscribers: events,
    traces,
    maintenanceOf: (jobId: number, range: Range) => maintenanceOf(database, jobId, range),
  }
}

function aboutOf({ dataDir, timeZone }: ServerSettings, { migrated }: Storage) {
  const { latest: schema, applied: migrations } = migrated
  return { version: RELEASE.tidemark, dataDir, timeZone, schema, migrations, pid: process.pid }
}

function startPeriodicJobs(everyMs: number, ports: Ports): NodeJS.Timeout {
  const { clock, log } = ports
  let nightAt = nextNight(clock.now())
  const lookAfter = async () => {
    await runPeriodic(ports)
    if (clock.now() < nightAt) return
    nightAt = nextNight(clock.now())
    await runNightly(ports)
  }
  return setInterval(() => {
    lookAfter().catch((error: unknown) => log.error('background jobs: periodic work failed; retrying', error))
  }, everyMs)
}

/** Sends the beats of events. @returns the function that ends the beats and all streams of events */
function beatEvents(events: Hub, log: Log): () => void {
  const timer = setInterval(() => {
    events.beat().catch((error: unknown) => log.error('event hub: heartbeat failed; retrying', error))
  }, BEAT_MS)
  return () => {
    clearInterval(timer)
    events.close()
  }
}

/** The next 03:17 UTC, which is the time of nightly work at the edge too. */
function nextNight(now: number): number {
  return Math.floor((now - NIGHT_MS) / DAY_MS + 1) * DAY_MS + NIGHT_MS
}

/** Writes a line of the log. Standard output has the welcome for people. */
export function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`)
}

function same<Part>(part: Part): Part {
  return part
}

/** The outgoing connections of the process. */
function openOutside(
  settings: ServerSettings,
  { key, formerKeys, log, clock }: Keys & { readonly log: Log; readonly clock: SteadyClock },
  { builtConsole, openNetwork, scrypt }: Pick<Runtime, 'builtConsole' | 'openNetwork' | 'scrypt'>,
) {
  const network = openNetwork(settings)
  const secrets = secretsOf(key, formerKeys, scrypt)
  return {
    consoleAssets: openConsoleAssets(builtConsole, log),
    network,
    databases: openServerDatabases(settings),
    directory: settings.ldap && openLdap(settings.ldap),
    mail: openMail(settings.mail),
    translator: null,
    secrets,
    traces: openTraces(settings.traces, { clock, log, network, secrets, inBackground: null }),
    settings: { ...settings, runnerToken: settings.runnerToken ?? runnerTokenOf(key) },
  }
}

type ServerParts = {
  readonly http: Listener
  readonly dispatch: OpenDispatch
  readonly endBeat: () => void
  readonly upkeep: NodeJS.Timeout
  readonly endWatches: readonly (() => Promise<void>)[]
  readonly notifier: Notifier
  readonly scheduled: ScheduledEngine
  readonly storage: Storage
  readonly tables: OpenTables
  readonly ports: Ports
}

async function closeAll(parts: ServerParts): Promise<void> {
  const { http, dispatch, endBeat, upkeep, endWatches, notifier, scheduled, storage, tables, ports } = parts
  clearInterval(upkeep)
  endBeat()
  dispatch.close()
  await http.drain(DRAIN_MAX_MS)
  await Promise.all(endWatches.map((end) => end()))
  await notifier.sent()
  tables.close()
  await scheduled.close()
  await ports.traces?.flush()
  await storage.close()
}

/** Each connection takes a file. Above the limit new connections wait until others end. */
async function warnOfFewFiles(log: Log): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const filesMax = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (filesMax < FILES_MIN)
    log.warn('server: the limit of open files is low, which limits the connections; raise `ulimit -n`', {
      filesMax,
      FILES_MIN,
    })
}

function stopBroken(log: Log, cause: unknown): void {
  log.error('storage failed; the process ends, and the next start recovers', cause)
  // Waiting callers are refused first. Their deliveries were not acknowledged.
  // The supervisor starts the process again, and opening replays the journal.
  setTimeout(() => process.exit(EXIT.storage), 100)
}
